"""Modes as tables: an engine with its options, and declared reranks, which are held against their first stage.

reranked = {pipeline = "replay(path='reranked.run')", rerank_of = "lexical", depth = 20}

[modes.live]
engine = "http"
url = "https://api.shop.example/search"
hits = "results"
body = {query = "{query}", size = "{depth}"}
then = ">> cutoff(depth=50)"
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import shown_options
from rankproof.kernel.specs.kinds import Kind, OptionValues, Text, Whole
from rankproof.kernel.specs.tables import read_params, read_table
from rankproof.proving.audit.claims import Break, RerankAudit
from rankproof.proving.audit.rerank import audit_rerank
from rankproof.proving.rules.rerank_held import where_broken
from rankproof.reading.collect import read_run
from rankproof.reading.records import By
from rankproof.stack.records import ModeOutcome

# How many broken queries a report names.
EXAMPLES = 5
KEYS: Mapping[str, Kind] = {"pipeline": Text(), "rerank_of": Text(), "depth": Whole(1)}
# Of a table that names an engine; every other key is an option of that engine.
ENGINE_KEYS: Mapping[str, Kind] = {"engine": Text(), "then": Text(), "rerank_of": Text(), "depth": Whole(1)}


@dataclass(frozen=True, slots=True)
class DeclaredRerank:
    """What a mode is said to be: the mode `of` with its first `depth` documents in another order."""

    of: str
    depth: int


@dataclass(frozen=True, slots=True)
class RerankCheck:
    """Whether a mode is what it was declared to be.

    verdict    "held", "broken", or "undecided" where no query could be looked at
    queries    how many were looked at: those that both modes have an answer for, or none by their own doing
    broken     how many of them break it
    examples   the first of them, in words
    cause      the likely cause in a sentence, or ""
    """

    of: str
    depth: int
    verdict: Literal["held", "broken", "undecided"]
    queries: int
    broken: int = 0
    examples: tuple[str, ...] = ()
    cause: str = ""

    def sentence(self, mode: str) -> str:
        """What a reader must know; "" of a rerank that holds."""
        if self.verdict == "held":
            return ""
        if self.verdict == "undecided":
            return f"{mode} could not be held against {self.of}: no query has an answer of both."
        queries = counted(self.queries, "query", "queries")
        cause = f" {self.cause}" if self.cause else ""
        return (
            f"{mode} is BROKEN: it is not {self.of} reranked to depth {self.depth}, in {self.broken:,} of {queries}; "
            f"{self.examples[0]}.{cause} It is not recommended."
        )

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {**asdict(self), "examples": list(self.examples)}


def read_mode(value: object, place: str, mode: str) -> tuple[str, DeclaredRerank | None]:
    """The pipeline of a mode, and what it is declared to rerank; the mode is a text or a table."""
    if isinstance(value, str):
        return value, None
    if not isinstance(value, Mapping):
        raise UsageError(
            f'{place}: the mode {mode} must be a pipeline, such as "bm25()", a table of an engine and its options, or '
            f"a table of a pipeline, rerank_of and depth; got {value!r}."
        )
    where = f"{place}, mode {mode}"
    given = _engine_table(value, where) if "engine" in value else read_table(value, KEYS, where)
    if not given.get("pipeline"):
        raise UsageError(f"{where}: the pipeline is missing. Add pipeline = \"replay(path='reranked.run')\".")
    if ("rerank_of" in given) != ("depth" in given):
        missing = "depth" if "rerank_of" in given else "rerank_of"
        raise UsageError(
            f"{where}: {missing} is missing: rerank_of names the first stage's mode, and depth how many of its first "
            "documents are reranked."
        )
    return given["pipeline"], DeclaredRerank(given["rerank_of"], given["depth"]) if "depth" in given else None


def _engine_table(table: Mapping[str, object], where: str) -> OptionValues:
    """A table of an engine, its options and what its rankings flow through, with the pipeline that it is."""
    if "pipeline" in table:
        raise UsageError(
            f"{where}: engine and pipeline are both named. An engine stands with its options; leave one out."
        )
    given = read_table(table, ENGINE_KEYS, where, others=[key for key in table if key not in ENGINE_KEYS])
    name = given["engine"]
    if name not in shelf.everything("engines"):
        raise UnknownName(f"engine ({where})", name, shelf.everything("engines"))
    params = shelf.find("engines", name).params
    options = {key: value for key, value in table.items() if key not in ENGINE_KEYS}
    values = read_params(options, params, where, noun=f"option of {name} ({where})")
    shown = ", ".join(f"{key}={text}" for key, text in shown_options(params, values).items())
    then = given.get("then", "").strip().removeprefix(">>").strip()
    if "then" in given and not then:
        raise UsageError(
            f'{where}: then is {given["then"]!r}, with no stage in it. Write then = ">> cutoff(depth=10)".'
        )
    return {**given, "pipeline": f"{name}({shown}){f' >> {then}' if then else ''}"}


def refuse_reranks(reranks: Mapping[str, DeclaredRerank], modes: Collection[str], depth: int, place: str) -> None:
    """Refuses a first stage that is no mode or the mode itself, circles, and depths that the benchmark cuts off."""
    for mode, declared in reranks.items():
        if declared.of not in modes:
            raise UnknownName(f"mode of {place} (rerank_of of {mode})", declared.of, modes)
        seen, at = [mode], declared.of
        while at in reranks and at not in seen:
            seen.append(at)
            at = reranks[at].of
        if at in seen:
            raise UsageError(f"{place}, mode {mode}: rerank_of goes in a circle: {' of '.join([*seen, at])}.")
        if declared.depth > depth:
            raise UsageError(
                f"{place}, mode {mode}: rankings are compared to depth {depth}, and it reranks {declared.depth}. Set "
                f"depth = {declared.depth} or more in [benchmark]."
            )


def check_reranks(
    reranks: Mapping[str, DeclaredRerank],
    outcomes: Mapping[str, ModeOutcome],
    unanswered: Mapping[str, Collection[str]],
) -> dict[str, RerankCheck]:
    """Every declared rerank held against its first stage; `unanswered` has by mode the queries that got no answer."""
    return {
        mode: _check(declared, mode, outcomes, {*unanswered.get(mode, ()), *unanswered.get(declared.of, ())})
        for mode, declared in reranks.items()
        if mode in outcomes
    }


def _check(declared: DeclaredRerank, mode: str, outcomes: Mapping[str, ModeOutcome], silent: set[str]) -> RerankCheck:
    of, depth = declared.of, declared.depth
    if of not in outcomes:
        return RerankCheck(of, depth, "undecided", 0)
    ranked = {name: _ranked(outcomes[name], silent) for name in (of, mode)}
    # What the first stage has nothing for, no rerank can have documents for.
    extra = [query for query, docs in ranked[mode].items() if docs and not ranked[of][query]]
    both = [query for query, docs in ranked[of].items() if docs]
    if not both and not extra:
        return RerankCheck(of, depth, "undecided", 0)
    first = [Break(query, ranked[mode][query][0], None, 1, f"{of} found nothing") for query in extra]
    broken, cause = list(extra), ""
    if both:
        # As they were handed on: scores that are equal leave an order that a run file does not have.
        audit = _audit(declared, mode, outcomes, both, "given")
        broken, first = [*audit.broken, *extra], [*([audit.first] if audit.first is not None else []), *first]
        if audit.broken:
            cause = _audit(declared, mode, outcomes, both, "score").cause or audit.cause
    examples = tuple(where_broken(where) for where in first)
    named = {where.query_id for where in first}
    more = tuple(f"query {query}" for query in broken if query not in named)
    verdict: Literal["held", "broken"] = "broken" if broken else "held"
    found = (*examples, *more)[:EXAMPLES]
    return RerankCheck(of, depth, verdict, len(both) + len(extra), len(broken), found, cause)


def _ranked(outcome: ModeOutcome, silent: Collection[str]) -> dict[str, tuple[str, ...]]:
    pairs = zip(outcome.query_ids, outcome.rankings, strict=True)
    return {query: tuple(ranking.doc_ids) for query, ranking in pairs if query not in silent}


def _audit(
    declared: DeclaredRerank, mode: str, outcomes: Mapping[str, ModeOutcome], queries: Sequence[str], order: By
) -> RerankAudit:
    """By the order that was given; by the scores where they are to tell why."""
    names = (declared.of, mode)
    answers = (outcomes[name].as_run() for name in names)
    base, new = (read_run({q: docs[q] for q in queries if docs[q]}, order=order) for docs in answers)
    return audit_rerank(base, new, declared.depth, names=names)


def unbroken(mode: str, checks: Mapping[str, RerankCheck]) -> str:
    """The mode, or where its declared rerank is broken, the first stage behind it that is not."""
    while mode in checks and checks[mode].verdict == "broken":
        mode = checks[mode].of
    return mode


def warnings_of(checks: Mapping[str, RerankCheck]) -> list[str]:
    """A warning for each mode that does not hold, or could not be looked at."""
    return [sentence for mode, check in checks.items() if (sentence := check.sentence(mode))]
