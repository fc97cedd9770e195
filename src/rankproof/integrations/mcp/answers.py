"""Answers: the document of a tool and a short text beside it, by the functions that the commands use.

The arguments of a call are read by the command itself, from a command line; what the command would compute is computed
by the same function and written by the same report. Only what comes next is said in other words: an agent calls a tool
where a person types a command.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankproof.errors import Unreadable, UsageError
from rankproof.integrations.mcp.limits import LONGEST_TEXT
from rankproof.integrations.mcp.paths import parts_of
from rankproof.integrations.mcp.tools import ReadingTool, command_line, files_of
from rankproof.kernel import shelf
from rankproof.kernel.sections import Screen
from rankproof.reading.chunk_map import is_mapping_file
from rankproof.reading.opener import FileOpener

if TYPE_CHECKING:
    from rankproof.proving.policy import Policy
    from rankproof.proving.verdict import Verdict

Params = dict[str, Any]
# The headlines, as in a pipe.
SHORT = Screen(None, False)
# Lines of a text that are for whoever types commands.
OF_COMMANDS = ("More: --full",)
# Parameters of commands: those that name a format, and those of gate that write a report.
FORMATS = ("qrels_format", "run_format", "form")
OF_REPORTS = ("form", "as_json", "output", "junit", "markdown", "html", "full", "manifest", "github")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answers with: a document by a published schema, as JSON, and a text for people."""

    document: str
    text: str


def answer_of(tool: ReadingTool, arguments: Mapping[str, Any], folder: FileOpener) -> ToolAnswer:
    """The answer to a call. Its errors are those of the command."""
    words = command_line(tool, arguments)
    for name in files_of(tool, arguments):
        folder.read(name)
    with tool.command.make_context(f"rankproof {tool.words}", words) as context:
        refuse_collections(context.params.get(name) for name in FORMATS)
        document, text = _ANSWERS[tool.name](dict(context.params))
    lines = [line for line in text.splitlines() if not line.strip().startswith(OF_COMMANDS)]
    return ToolAnswer(document, shortened("\n".join(lines).rstrip() + "\n"))


def shortened(text: str) -> str:
    """The text, cut at the end of a line where it is long."""
    if len(text) <= LONGEST_TEXT:
        return text
    kept = text[:LONGEST_TEXT].rpartition("\n")[0] or text[:LONGEST_TEXT]
    return f"{kept}\n... cut: {len(text) - len(kept):,} more characters. Ask for less, or read the structured answer.\n"


def _observed(began: float) -> dict[str, float]:
    return {"seconds": round(time.perf_counter() - began, 6)}


def _evaluate(params: Params) -> tuple[str, str]:
    from rankproof.cli.evaluate import evaluate_files
    from rankproof.cli.shared.options import DEFAULT_MEASURES

    began = time.perf_counter()
    measures, per_query = params.pop("measures") or (DEFAULT_MEASURES,), params.pop("per_query")
    _, _, evaluations = evaluate_files(params.pop("qrels"), params.pop("runs"), measures, params)
    shown = {"per_query": per_query, "observed": _observed(began)}
    text = shelf.find("reports", "table").render(evaluations, **shown, screen=SHORT)
    return shelf.find("reports", "json").render(evaluations, **shown), text


def _compare(params: Params) -> tuple[str, str]:
    from rankproof.cli.compare import compare_inputs

    began = time.perf_counter()
    files, per_query = params.pop("files"), params.pop("per_query")
    compared = compare_inputs(files, params, params.pop("as_scores"), params.pop("saved")).comparison
    shown = {"per_query": per_query, "observed": _observed(began)}
    text = shelf.find("reports", "table").comparison(compared, **shown, screen=SHORT)
    return shelf.find("reports", "json").comparison(compared, **shown), text


def _gate(params: Params) -> tuple[str, str]:
    from rankproof.cli.gate import given_instead
    from rankproof.proving.gate import gate
    from rankproof.proving.policy import read_policy

    began = time.perf_counter()
    path, files = params.pop("policy"), params.pop("files")
    others = {name: value for name, value in params.items() if name not in OF_REPORTS}
    policy = read_policy(path, **given_instead(files, others))
    refuse_policy(policy)
    verdict = gate(policy)
    observed = _observed(began)
    text = shelf.find("reports", "table").verdict(verdict, observed=observed, screen=SHORT)
    return shelf.find("reports", "json").verdict(verdict, observed=observed), text + _what_decides(verdict, policy)


def refuse_policy(policy: Policy) -> None:
    """Refuses a policy that would write, or that names a file which is not below the folder, before anything is read.

    Whatever is read later goes through the opener too; an address, which no reader opens, is stopped here.
    """
    if policy.ledger is not None:
        raise UsageError(
            f"{policy.source}: the policy has a ledger ({policy.ledger.path}), a file in which a gate counts every "
            "attempt. Nothing is written here: run `rankproof gate` on the command line, where the attempt counts."
        )
    mapping = policy.choices.get("collapse")
    for name in (*policy.files, mapping if isinstance(mapping, str) and is_mapping_file(mapping) else None):
        if isinstance(name, str):
            try:
                parts_of(name)
            except Unreadable as error:
                raise Unreadable(f"{policy.source}: {error}") from None
    refuse_collections(policy.choices.get(name) for name in FORMATS)


def refuse_collections(formats: Iterable[object]) -> None:
    """UsageError for a format that is no form of a file, but fetches a collection by its name."""
    for name in formats:
        if isinstance(name, str) and shelf.find("formats", name).prefix:
            raise UsageError(f"The format {name} is of collections that are fetched, and nothing is fetched here.")


def _what_decides(verdict: Verdict, policy: Policy) -> str:
    """Of a verdict that is undecided: what would decide it, and the call that names what to judge."""
    if verdict.status != "UNDECIDED":
        return ""
    lines = ["", "UNDECIDED is an answer, not a PASS. What would decide it:"]
    lines += [f"  {ruling.title}: {ruling.decides}" for ruling in verdict.rulings if ruling.decides]
    given = (policy.qrels, policy.baseline, policy.candidate)
    measures = [ruling.measure for ruling in verdict.rulings if ruling.status == "UNDECIDED" and ruling.measure]
    if not policy.by_values and all(isinstance(name, str) for name in given):
        qrels, baseline, candidate = ("/".join(parts_of(str(name))) for name in given)
        call = {"qrels": qrels, "baseline": baseline, "candidates": [candidate], "measure": measures[:1]}
        arguments = json.dumps({name: value for name, value in call.items() if value}, ensure_ascii=False)
        lines += [f"Which documents to judge first: the tool next, with {arguments}."]
        lines += ["How many queries a difference needs: the tool power."]
    return "\n".join(lines) + "\n"


def _power(params: Params) -> tuple[str, str]:
    from rankproof.cli.power import SCHEMA, plan_inputs, shown
    from rankproof.cli.shared.output import document

    began = time.perf_counter()
    ask = {name: params.pop(name) for name in ("queries", "difference", "power", "confidence", "alternative")}
    inputs, measures, sd, as_scores = (params.pop(name) for name in ("inputs", "measures", "sd", "as_scores"))
    reading = {name: value for name, value in params.items() if name not in ("as_json", "output")}
    plan = plan_inputs(inputs, measures, sd, as_scores, ask, reading)
    return document(SCHEMA, plan.to_dict(), time.perf_counter() - began), shown(plan)


def _next(params: Params) -> tuple[str, str]:
    from rankproof.cli.next import proposal_json, propose_files, to_read

    began = time.perf_counter()
    qrels, runs, measures, number, topics = (
        params.pop(name) for name in ("qrels", "runs", "measures", "number", "topics")
    )
    proposal, texts = propose_files(qrels, runs, measures, number, topics, params)
    return proposal_json(proposal, texts, time.perf_counter() - began), to_read(proposal, texts)


def _explain(params: Params) -> tuple[str, str]:
    from rankproof.cli.explain import explained

    return explained(" ".join(params["words"]))


def _validate(params: Params) -> tuple[str, str]:
    from rankproof.cli.shared import findings
    from rankproof.cli.validate import validate_files

    names = ("noun", "qrels", "topics", "allow", "strict", "form", "columns")
    answers = validate_files(params["files"], **{name: params[name] for name in names})
    return findings.as_json(answers), findings.as_text(answers, name_nouns=True)


_ANSWERS: Mapping[str, Callable[[Params], tuple[str, str]]] = {
    "evaluate": _evaluate,
    "compare": _compare,
    "gate": _gate,
    "power": _power,
    "next": _next,
    "explain": _explain,
    "validate": _validate,
}
