"""What `judge run` shows: the plan of a dry run, and the outcome of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankproof.cli.shared.model_options import money_text
from rankproof.kernel.sections import aligned, counted, printable

# Characters of the first failed answer that are shown.
_GLIMPSE = 60


def plan_text(body: Mapping[str, Any]) -> str:
    """A plan: how much, about what it costs, and one prompt."""
    plan, example = body["plan"], body["example"]
    lines = [*_head(body), f"  to ask: {counted(plan['questions'] - plan['there'], 'question')}"]
    if plan["there"]:
        lines.append(f"  there already: {plan['there']:,}")
    lines.append(f"  prompt: SHA-256 {body['judge']['prompt'][:16]}..., model: {body['judge']['model']}")
    lines += [
        "",
        f"about {counted(plan['tokens_asked'], 'token')} in {counted(plan['requests'], 'request')}, "
        f"at {plan['bytes_per_token']} bytes a token",
        f"{counted(plan['tokens_answered_at_most'], 'token')} in answers at most",
    ]
    if plan["cost"] is not None:
        lines.append(
            f"cost: about {money_text(plan['cost'], plan['currency'])}, if every answer is as long as it may be"
        )
    else:
        lines.append("cost: unknown; --price-in and --price-out say what a million tokens cost")
    if example is not None:
        about = " and ".join(example["doc_ids"])
        lines += ["", f"The first question, about {about} for {example['query_id']}:", ""]
        prompt = f"system: {example['system']}\n\nuser: {example['user']}"
        lines += [f"  {line}" if line else "" for line in prompt.splitlines()]
    lines += ["", "Nothing was sent. Run it without --dry-run to send the questions."]
    return _text(lines)


def outcome_text(body: Mapping[str, Any]) -> str:
    """The outcome: grades, failures, tokens and cost."""
    outcome = body["outcome"]
    lines = [*_head(body), *_counts(body, outcome)]
    lines += _failures(outcome)
    tokens = outcome["tokens"]
    lines += ["", f"tokens: {tokens['asked']:,} asked, {tokens['answered']:,} answered{_cost(body)}"]
    if tokens["uncounted"]:
        lines.append(f"  {counted(tokens['uncounted'], 'answer')} came without a count")
    ceiling = body["ceiling"]
    if ceiling is not None:
        lines += _ceiling(ceiling)
    if outcome["unanswered"]:
        again = "The same command asks them again."
        if ceiling is not None and ceiling["reached"]:
            again = "The ceiling is reached: raise it, and the same command goes on with them."
        lines += ["", f"{counted(outcome['unanswered'], 'question')} without an answer. {again}"]
    return _text(lines)


def _ceiling(ceiling: Mapping[str, Any]) -> Iterator[str]:
    """What all commands of the judge that named a ceiling sent and spent."""
    most = "" if ceiling["max_calls"] is None else f" of {ceiling['max_calls']:,} at most"
    spent = ""
    if ceiling["max_cost"] is not None:
        cost, limit = (money_text(ceiling[name], ceiling["currency"]) for name in ("cost_at_most", "max_cost"))
        spent = f"; cost at most {cost} of {limit}"
    yield f"under the ceiling, in all: {counted(ceiling['requests'], 'request')}{most}{spent}"
    if ceiling["uncounted"] and ceiling["max_cost"] is not None:
        yield (
            f"  {counted(ceiling['uncounted'], 'answer')} without a count of tokens: counted with the most that they "
            "can have cost"
        )


def _head(body: Mapping[str, Any]) -> Iterator[str]:
    judge, pairs = body["judge"], body["pairs"]
    names = judge["names"]
    name = names[0] if len(names) == 1 else f"{names[0]} and its repetitions to {names[-1]}"
    yield f"{body['project']}: {counted(pairs['chosen'], 'pair')} for {name}"
    yield f"  asks: {judge['asks']} at {judge['endpoint']}"
    frame = "" if pairs["frame"] == pairs["chosen"] else f"; {pairs['frame']:,} to draw from"
    yield f"  from: {pairs['from']}{frame}"
    if pairs["documents_without_text"]:
        yield f"  not asked, without a text: {counted(pairs['documents_without_text'], 'document')}"
    if pairs["documents_cut"]:
        yield f"  cut, which the prompt says: {counted(pairs['documents_cut'], 'document')}"


def _counts(body: Mapping[str, Any], outcome: Mapping[str, Any]) -> Iterator[str]:
    there = f", there already {outcome['there']:,}" if outcome["there"] else ""
    there += f" ({outcome['there_failed']:,} of them failures)" if outcome["there_failed"] else ""
    cached = f" ({counted(outcome['from_cache'], 'answer')} from the cache)" if outcome["from_cache"] else ""
    yield f"  judged {outcome['judged']:,}, failed {outcome['failed']:,}{there}{cached}"
    if outcome["grades"]:
        yield f"  grades: {', '.join(f'{grade}: {count:,}' for grade, count in outcome['grades'].items())}"
    if outcome["preferences"]:
        yield f"  preferred: {', '.join(f'{what}: {count:,}' for what, count in outcome['preferences'].items())}"
    served = [name for name in outcome["served"] if name != body["judge"]["model"]]
    if served and body["judge"]["endpoint"] != "local":
        yield f"  served by: {', '.join(served)}"


def _failures(outcome: Mapping[str, Any]) -> Iterator[str]:
    for answered, title in ((True, "no grades, stored with their text"), (False, "no answer")):
        kinds = [kind for kind in outcome["failures"] if kind["answered"] == answered]
        if kinds:
            rows = [
                ["kind", "questions", "the first"],
                *([kind["kind"], f"{kind['count']:,}", _first(kind)] for kind in kinds),
            ]
            yield from ["", f"{title}:", *(f"  {line}" for line in aligned(rows, 1))]


def _first(kind: Mapping[str, Any]) -> str:
    example = kind["example"]
    flat = " ".join(example["text"].split())
    short = flat if len(flat) <= _GLIMPSE else f"{flat[:_GLIMPSE]}..."
    return f"{example['query_id']} {' '.join(example['doc_ids'])}: {short}"


def _cost(body: Mapping[str, Any]) -> str:
    cost = body["cost"]
    if cost is None:
        return ""
    return f"; cost: {'at least ' if cost['at_least'] else ''}{money_text(cost['amount'], cost['currency'])}"


def _text(lines: list[str]) -> str:
    return "\n".join(printable(line) for line in lines) + "\n"
