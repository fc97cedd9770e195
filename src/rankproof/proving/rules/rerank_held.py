"""The candidate must be what it is declared to be: a first stage's run with only its first documents in another order.

The candidate's first `depth` documents of each query must be the first `depth` of the run `rerank_of`, in any order,
and below them must follow the rest of that run in its own order. A rerank whose scores were merged with those of the
first stage on another scale, that lost documents or brought others, is broken: its gains and losses are not the
reranker's. Queries are the judged ones; all of the first stage's where the policy has no judgments. Without
`rerank_of`, and where the first stage lacks queries that the candidate answers, it is undecided. `rankproof audit
rerank` asks the same of two files.

decides by: the documents of both runs, query by query

    [[rule]]
    rule = "rerank_held"
    rerank_of = "runs/bm25.run"
    depth = 20

>>> from rankproof.testing.ruling import case_of, rule_on
>>> held = case_of(first_stage={"q1": ["a", "b", "c"]}, order={"q1": ["b", "a", "c"]})
>>> rule_on(held, "rerank_held", rerank_of="bm25.run", depth=2).reason
'Each of 1 query holds the first 2 documents of bm25.run, and the rest in its order.'
>>> broken = case_of(first_stage={"q1": ["a", "b", "c"]}, order={"q1": ["c", "a", "b"]})
>>> rule_on(broken, "rerank_held", rerank_of="bm25.run", depth=2).status
'FAIL'
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.kernel.sections import counted, some
from rankproof.kernel.specs.kinds import REQUIRED, Param, Path, Whole
from rankproof.kernel.verdict import Ruling
from rankproof.proving.audit.claims import Break
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "rerank_held"


def title(values: RuleValues) -> str:
    """The requirement in a few words."""
    of = f" of {values['rerank_of']}" if values["rerank_of"] else ""
    return f"rerank{of} holds to depth {values['depth']}"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the documents of both runs."""
    depth, first_stage = values["depth"], values["rerank_of"]
    ruling = Ruling(NAME, title(values), "UNDECIDED", "", threshold=0.0, better="lower", unit="queries")
    if not first_stage:
        reason = "The rule names no first stage, so nothing says what was reranked."
        return replace(ruling, reason=reason, decides='A run would decide it: rerank_of = "first_stage.run".')
    audit, unknown = case.rerank(first_stage, depth)
    ruling = replace(ruling, observed=float(len(audit.broken)), notes=audit.notes)
    if audit.broken:
        reason = f"BROKEN in {len(audit.broken):,} of {counted(audit.queries, 'query', 'queries')}"
        reason += f": {where_broken(audit.first)}." if audit.first is not None else "."
        return replace(
            ruling, status="FAIL", reason=f"{reason} {audit.cause}".rstrip(), queries=audit.broken,
        )  # fmt: skip
    if unknown or not audit.queries:
        what = f"{first_stage} lacks {counted(len(unknown), 'query', 'queries')} ({some(unknown)})"
        reason = f"{what} that the candidate answers." if unknown else f"{first_stage} has none of the queries."
        return replace(ruling, reason=reason, decides="The first stage's run of all queries would decide it.")
    queries = counted(audit.queries, "query", "queries")
    reason = f"Each of {queries} holds the first {depth} documents of {first_stage}, and the rest in its order."
    return replace(ruling, status="PASS", reason=reason)


def where_broken(first: Break) -> str:
    """The first place that shows it, as part of a sentence."""
    if not first.doc_id:
        return f"query {first.query_id}: {first.reason}"
    ranks = " -> ".join("none" if rank is None else str(rank) for rank in (first.base_rank, first.rank))
    return f"query {first.query_id}, document {first.doc_id} (rank {ranks}): {first.reason}"


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("rerank_of", Path(), None, "the first stage's run; without it the rule is undecided"),
            Param("depth", Whole(1), REQUIRED, "how many of the first stage's first documents are reranked"),
        ),
        title=title,
        decide=decide,
        needs_rankings=lambda values: "it looks at the documents of the candidate and of its first stage",
    ),
)
