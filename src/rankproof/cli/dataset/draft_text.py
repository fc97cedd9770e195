"""What `dataset draft` shows: the plan of a dry run, and what came of a drafting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rankproof.cli.shared.model_options import money_text
from rankproof.kernel.sections import aligned, counted, percent, printable

_KINDS = {"one": "about one document", "several": "about several documents", "none": "without an answer"}
# Strata that are shown one by one.
_SHOWN = 12


def planned_text(body: Mapping[str, Any]) -> str:
    """A plan: what would be asked, about how many tokens, and one prompt."""
    plan = body["plan"]
    lines = [
        *_head(body),
        "",
        f"about {counted(plan['tokens_asked'], 'token')} in {counted(plan['requests'], 'request')}, at "
        f"{plan['bytes_per_token']} bytes a token",
        f"{counted(plan['tokens_answered_at_most'], 'token')} in answers at most",
    ]
    if plan["cost"] is not None:
        money = money_text(plan["cost"], body["spending"]["currency"])
        lines.append(f"cost: about {money}, if every answer is as long as it may be")
    lines += _spent(body)
    lines += _decides(body)
    if plan["example"] is not None:
        prompt = f"system: {plan['example']['system']}\n\nuser: {plan['example']['user']}"
        lines += ["", "The first question:", "", *(f"  {line}" if line else "" for line in prompt.splitlines())]
    lines += ["", "Nothing was sent. Run it without --dry-run to send the questions."]
    return _text(lines)


def drafting_text(body: Mapping[str, Any]) -> str:
    """What came of it: accepted, marked with reasons, failed; what decides; what waits for people."""
    drafts, all_of_them = body["drafts"], body["questions"]["all"]
    lines = [*_head(body), "", f"accepted: {drafts['accepted']:,} of {all_of_them:,}"]
    lines += [
        f"  {_KINDS[kind]}: {count:,}" for kind, count in drafts["accepted_by_kind"].items() if count or kind == "one"
    ]
    if drafts["marked"]:
        lines.append(f"marked: {drafts['marked']:,}, kept with reason and evidence")
        lines += [f"  {reason}: {count:,}" for reason, count in drafts["marks"].items()]
    for answered, title in ((True, "no query in the answer"), (False, "no answer")):
        kinds = [one for one in drafts["failures"] if one["answered"] == answered]
        if kinds:
            lines.append(f"{title}: {sum(one['count'] for one in kinds):,}")
            lines += [f"  {one['kind']}: {one['count']:,}" for one in kinds]
    lines += _decides(body)
    lines += _waiting(body)
    tokens = body["asking"]["tokens"]
    lines += ["", f"tokens: {tokens['asked']:,} asked, {tokens['answered']:,} answered"]
    if tokens["uncounted"]:
        lines.append(f"  {counted(tokens['uncounted'], 'answer')} came without a count")
    lines += _spent(body)
    if drafts["unanswered"]:
        what = "Raise --max-requests or --max-cost to go on." if body["asking"]["ceiling_reached"] else (
            "The same command asks them again."
        )  # fmt: skip
        lines += ["", f"{counted(drafts['unanswered'], 'question')} without an answer. {what}"]
    lines += ["", f"drafts: {body['out']}/drafts.jsonl"]
    return _text(lines)


def _head(body: Mapping[str, Any]) -> Iterator[str]:
    corpus, asked = body["corpus"], body["questions"]
    queries = counted(asked["all"], "query", "queries")
    yield f"{corpus['source']}: {queries} to draft with {body['model']['name']} at {body['model']['endpoint']}"
    line = f"  documents: {corpus['documents']:,}"
    for name, words in (("without_text", "without a text"), ("repeated", "with the text of another")):
        if corpus[name]:
            line += f"; {words}: {corpus[name]:,}"
    yield line
    yield from (f"  note: {note}" for note in corpus["notes"])
    kinds = ", ".join(f"{_KINDS[kind]}: {count:,}" for kind, count in asked["by_kind"].items() if count)
    yield f"  {kinds}"
    if asked["without_similar"]:
        count = counted(asked["without_similar"], "document")
        yield f"  {count} that nothing is similar to: asked about alone"
    parts = body["strata"]["parts"]
    if len(parts) <= _SHOWN:
        rows = [[part["name"], f"{part['drawn']:,} of {part['documents']:,}"] for part in parts]
        yield from (f"  {line}" for line in aligned([[body["strata"]["by"], "drawn"], *rows], 1))
    else:
        empty = sum(not part["drawn"] for part in parts)
        yield f"  {body['strata']['by']}: {len(parts):,} strata, {empty:,} with nothing drawn"
    if asked["there"]:
        yield f"  answers on record: {asked['there']:,}"
    if body["topics"]:
        yield f"  held against {counted(body['topics'], 'topic')}"


def _spent(body: Mapping[str, Any]) -> Iterator[str]:
    """What all commands into the folder sent, where somebody set a ceiling or a price."""
    spending = body["spending"]
    if spending["max_requests"] is not None:
        yield f"requests in all: {spending['requests']:,} of {spending['max_requests']:,} at most"
    if spending["cost_at_most"] is not None and (spending["requests"] or spending["max_cost"] is not None):
        cost = money_text(spending["cost_at_most"], spending["currency"])
        most = "" if spending["max_cost"] is None else f" of {money_text(spending['max_cost'], spending['currency'])}"
        yield f"cost in all: {'at most ' if spending['uncounted'] else ''}{cost}{most}"


def _decides(body: Mapping[str, Any]) -> list[str]:
    decides = body["decides"]
    if decides is None:
        return []
    lines = ["", f"{decides['status']}: a difference of {decides['difference']:g} in {decides['measure']}"]
    lines.append(f"  {decides['reason']}")
    if decides["needed_range"]:
        low, high = ("-" if end is None else f"{end:,}" for end in decides["needed_range"])
        lines.append(f"  as the spread is uncertain itself: {low} to {high}")
    if decides["shows"] is not None:
        lines.append(
            f"  {counted(decides['accepted'], 'accepted query', 'accepted queries')} show a difference of "
            f"{decides['shows']:.4f} in {percent(decides['power'])} of such query sets"
        )
    if decides["draft"] is not None and decides["status"] != "PASS":
        lines.append(f"  at this rate of acceptance it takes about {decides['draft']:,} drafts")
    return lines


def _waiting(body: Mapping[str, Any]) -> list[str]:
    stored = body["store"]
    if stored is None:
        return []
    if stored["waiting"]:
        return [
            "",
            "Nothing is in the store yet: it gets the drafts once every question has an answer, or with",
            "--leave-unanswered.",
        ]
    queries = counted(stored["queries"], "query", "queries")
    lines = ["", f"{stored['store']}: project {stored['project']}, {queries} with {counted(stored['pairs'], 'pair')}"]
    if stored["pairs_added"] < stored["pairs"]:
        lines.append(f"  there already: {counted(stored['pairs'] - stored['pairs_added'], 'pair')}")
    lines.append("  unjudged: they are no test set until people have judged them")
    return lines


def _text(lines: list[str]) -> str:
    return "\n".join(printable(line) for line in lines) + "\n"
