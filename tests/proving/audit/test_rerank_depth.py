"""The depth that is not claimed: broken merges are found and named, honest reranks of every kind are not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

import pytest
from tests.shared_data import SHARED, needs_shared_data

from rankproof.proving.audit.claims import RerankAudit
from rankproof.proving.audit.rerank import audit_rerank
from rankproof.reading.collect import read_run

Rankings = dict[str, dict[str, float]]
Scorer = Callable[[random.Random, str, int, float], float]

QUERIES, DEPTH = 12, 20


def first_stage(seed: int = 0, queries: int = QUERIES, length: int = 100, digits: int = 4) -> Rankings:
    """Scores that fall as BM25's do: fast at first, then slowly."""
    rng = random.Random(seed)
    rankings = {}
    for q in range(queries):
        score, ranking = rng.uniform(15, 30), {}
        for rank in range(length):
            ranking[f"q{q}d{rank:04d}"] = round(score, digits)
            score -= rng.expovariate(1) * 6 / (rank + 3) + 10.0**-digits
        rankings[f"q{q}"] = ranking
    return rankings


def logit(rng: random.Random, doc: str, rank: int, score: float) -> float:
    return rng.gauss(-2 - rank / 30, 4)


def sigmoid(rng: random.Random, doc: str, rank: int, score: float) -> float:
    return 1 / (1 + math.exp(-logit(rng, doc, rank, score)))


def cosine(rng: random.Random, doc: str, rank: int, score: float) -> float:
    return max(-1.0, min(1.0, rng.gauss(0.4, 0.25)))


def merged(base: Rankings, tail: Callable[[float], float], depth: Callable[[int], int], scorer: Scorer) -> Rankings:
    """The first documents get a reranker's scores, the others what `tail` makes of their own."""
    rng = random.Random(7)
    new: Rankings = {}
    for q, (query, ranking) in enumerate(base.items()):
        new[query] = {
            doc: scorer(rng, doc, rank, score) if rank < depth(q) else tail(score)
            for rank, (doc, score) in enumerate(ranking.items())
        }
    return new


def audit(base: Rankings, new: Mapping[str, Mapping[str, float]], depth: int | None = None) -> RerankAudit:
    return audit_rerank(read_run(base), read_run(dict(new)), depth, names=("first", "new"))


def to_twenty(query: int) -> int:
    return DEPTH


# ---- broken ones ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (lambda s: s, "keep the scores of first (up to"),
        (lambda s: s / 10, "have the scores of first times 0.1 (up to"),
        (lambda s: s + 3, "have the scores of first plus 3 (up to"),
        (lambda s: 0.5 * s - 2, "have the scores of first times 0.5 minus 2 (up to"),
        (lambda s: round(0.37 * s, 4), "have the scores of first times 0.37 (up to"),
        (lambda s: 0.0, "all have one score, 0, the reranked ones"),
    ],
    ids=["equal", "scaled", "shifted", "scaled and shifted", "rounded", "one score"],
)
@pytest.mark.parametrize("depth", [None, DEPTH])
def test_a_tail_on_another_scale_is_found_and_named(
    tail: Callable[[float], float], words: str, depth: int | None
) -> None:
    base = first_stage()
    found = audit(base, merged(base, tail, to_twenty, logit), depth)
    assert (found.verdict, found.depth, len(found.broken)) == ("broken", DEPTH, QUERIES)
    assert found.cause.startswith("Two scales of scores were merged: documents below rank 20 " + words)
    assert "with negative scores" in found.cause
    assert found.cause.endswith("Put all reranked documents above the others before writing the run.")
    if depth is None:
        assert found.inferred is not None
        assert (found.inferred.by, found.inferred.sure, found.inferred.agree) == ("scores", "high", QUERIES)
    else:
        assert found.inferred is None


def test_a_tail_that_is_scaled_by_query() -> None:
    """Min-max normalization of each query's tail, merged with cosines."""
    base = first_stage()
    new = merged(base, lambda s: s, to_twenty, cosine)
    for query, ranking in new.items():
        tail = list(base[query])[DEPTH:]
        low, high = base[query][tail[-1]], base[query][tail[0]]
        for doc in tail:
            ranking[doc] = (base[query][doc] - low) / (high - low)
    found = audit(base, new)
    assert (found.verdict, found.depth) == ("broken", DEPTH)
    assert "have the scores of first, scaled in each query by itself" in found.cause


def test_a_depth_that_differs_by_query() -> None:
    base = first_stage()
    found = audit(base, merged(base, lambda s: s, lambda q: 10 + q, logit))
    assert (found.verdict, len(found.broken)) == ("broken", QUERIES)
    assert found.inferred is not None
    assert (found.inferred.least, found.inferred.most, found.depth) == (10, 21, 21)
    assert "documents below the depth (rank 10 to 21) keep the scores of first" in found.cause


def test_short_lists_hide_no_merge() -> None:
    """Where a list ends above the depth all of it was reranked: it tells nothing, and breaks nothing."""
    base = first_stage()
    for q in range(0, QUERIES, 3):
        base[f"q{q}"] = dict(list(base[f"q{q}"].items())[: 3 + q])
    found = audit(base, merged(base, lambda s: s, to_twenty, logit))
    assert (found.verdict, found.depth) == ("broken", DEPTH)
    assert not {"q0", "q3", "q6", "q9"} & {*found.broken}
    assert len(found.broken) == 8


def test_reranked_documents_that_sank_out_of_a_list_that_was_cut() -> None:
    base = first_stage(length=100)
    whole = merged(base, lambda s: s, to_twenty, logit)
    cut = {q: dict(sorted(ranking.items(), key=lambda at: -at[1])[:50]) for q, ranking in whole.items()}
    found = audit(base, cut)
    assert (found.verdict, found.depth) == ("broken", DEPTH)
    assert found.cause.startswith("Two scales of scores were merged")


def test_ties_of_a_tail_with_one_score() -> None:
    """All reranked documents stand above; below, one score leaves the order to the rule for ties."""
    base = first_stage()
    new = merged(base, lambda s: -100.0, to_twenty, logit)
    found = audit(base, new)
    assert (found.verdict, found.depth) == ("broken", DEPTH)
    assert "only among documents with equal scores" in found.cause


def test_a_merge_whose_scores_were_replaced_by_ranks() -> None:
    """Only the order is left to tell: the tail keeps its own, and reranked documents stand in it."""
    base = first_stage()
    whole = merged(base, lambda s: s / 10, to_twenty, logit)
    ranks = {
        q: {doc: 1 / rank for rank, doc in enumerate(sorted(ranking, key=lambda d, r=ranking: -r[d]), start=1)}
        for q, ranking in whole.items()
    }
    found = audit(base, ranks)
    assert (found.verdict, found.depth) == ("broken", DEPTH)
    assert found.inferred is not None
    assert (found.inferred.by, found.inferred.sure) == ("order of the tail", "high")
    assert "this looks like two lists that were merged by scores on two scales" in found.cause


def test_lists_that_end_at_the_depth() -> None:
    base = first_stage()
    rng = random.Random(3)
    new = {q: {d: rng.random() for d in list(ranking)[:DEPTH]} for q, ranking in base.items()}
    found = audit(base, new)
    assert (found.verdict, found.depth, found.least_depth) == ("broken", DEPTH, None)
    assert found.inferred is not None
    assert (found.inferred.by, found.inferred.sure) == ("end of the lists", "high")
    assert found.cause.startswith("The documents below the depth were left out")


def test_documents_that_the_reranker_dropped() -> None:
    base = first_stage()
    new = merged(base, lambda s: s - 1000, to_twenty, logit)
    for q, ranking in new.items():
        del ranking[f"{q}d0003"]
    found = audit(base, new, DEPTH)
    assert found.verdict == "broken"
    assert "Documents that were to be reranked are missing: 12 of first's" in found.cause


# ---- honest ones ---------------------------------------------------------------------------------


def whole_list(base: Rankings, scorer: Scorer, digits: int = 9) -> Rankings:
    rng = random.Random(5)
    return {
        q: {doc: round(scorer(rng, doc, rank, s), digits) for rank, (doc, s) in enumerate(ranking.items())}
        for q, ranking in base.items()
    }


def well_merged(base: Rankings, scorer: Scorer) -> Rankings:
    """Reranked documents above the others, which keep their scores."""
    new = merged(base, lambda s: s, to_twenty, scorer)
    for query, ranking in new.items():
        for doc in list(base[query])[:DEPTH]:
            ranking[doc] += 1000
    return new


def windows(base: Rankings, moves: int, score: Callable[[int], float]) -> Rankings:
    """A listwise language model over sliding windows of 20, from the end of the list to its beginning."""
    rng = random.Random(11)
    new = {}
    for query, ranking in base.items():
        docs = list(ranking)
        for start in range(max(0, len(docs) - 20), -1, -10):
            window = docs[start : start + 20]
            for _ in range(moves):
                window.insert(rng.randrange(len(window)), window.pop(rng.randrange(len(window))))
            docs[start : start + 20] = window
        new[query] = {doc: score(rank) for rank, doc in enumerate(docs, start=1)}
    return new


def fused(rng: random.Random, doc: str, rank: int, score: float) -> float:
    return 0.8 * score + 4 * cosine(rng, doc, rank, score)


def grade(rng: random.Random, doc: str, rank: int, score: float) -> float:
    """Most documents get the least but one."""
    return float(rng.choices([-1, 0, 1, 2], [1, 12, 1, 1])[0])


HONEST: dict[str, Callable[[Rankings], Rankings]] = {
    "logits": lambda base: whole_list(base, logit),
    "sigmoid": lambda base: whole_list(base, sigmoid),
    "sigmoid of four digits": lambda base: whole_list(base, lambda *a: sigmoid(*a) ** 8, 4),
    "cosine": lambda base: whole_list(base, cosine),
    "cosine of two digits": lambda base: whole_list(base, cosine, 2),
    "grades": lambda base: whole_list(base, grade),
    "fused": lambda base: whole_list(base, fused),
    "fused with the first 20 only": lambda base: {
        q: {d: 0.5 * s + (random.Random(d).random() if rank < 20 else 0) for rank, (d, s) in enumerate(r.items())}
        for q, r in base.items()
    },
    "fused with a sigmoid that is mostly 0": lambda base: whole_list(
        base, lambda rng, d, rank, s: 0.5 * s + round(sigmoid(rng, d, rank, s) ** 6, 2)
    ),
    "well merged logits": lambda base: well_merged(base, logit),
    "well merged cosine": lambda base: well_merged(base, cosine),
    "1/rank of windows": lambda base: windows(base, 6, lambda rank: 1 / rank),
    "few moves in windows": lambda base: windows(base, 1, lambda rank: 1 / rank),
    "n to 1 of windows": lambda base: windows(base, 1, lambda rank: 101.0 - rank),
    "unchanged": lambda base: base,
    "scaled": lambda base: {q: {d: 0.1 * s - 7 for d, s in r.items()} for q, r in base.items()},
}


@pytest.mark.parametrize("kind", HONEST)
@pytest.mark.parametrize("queries", [1, 2, QUERIES])
@pytest.mark.parametrize("ranks", [False, True], ids=["scores", "ranks"])
def test_an_honest_rerank_raises_no_alarm(kind: str, queries: int, ranks: bool) -> None:
    base = first_stage(2, queries)
    if ranks:  # a first stage without scores, written as n to 1
        base = {q: {doc: float(len(r) - at) for at, doc in enumerate(r)} for q, r in base.items()}
    new = HONEST[kind](base)
    if kind == "fused with the first 20 only" and ranks:
        new = {q: {d: s + (10 if list(r).index(d) < 20 else 0) for d, s in r.items()} for q, r in new.items()}
    found = audit(base, new)
    assert (found.verdict, found.broken, found.cause) == ("clean", (), "")


def test_how_sure_a_clean_depth_is() -> None:
    base = first_stage()
    found = audit(base, well_merged(base, logit))
    assert (found.depth, found.least_depth) == (DEPTH, DEPTH)
    assert found.inferred is not None
    assert (found.inferred.by, found.inferred.sure) == ("order", "high")
    whole = audit(base, whole_list(base, logit)).inferred
    assert whole is not None
    assert whole.sure == "low"  # the lists end there: the depth may be any from there on
    one = audit({"q0": base["q0"]}, {"q0": well_merged(base, logit)["q0"]}).inferred
    assert one is not None
    assert audit(base, base).inferred is None


def test_a_few_queries_that_change_more_than_all_others() -> None:
    base = first_stage()
    new = well_merged(base, logit)
    docs = list(base["q4"])
    new["q4"][docs[70]], new["q4"][docs[40]] = new["q4"][docs[40]], new["q4"][docs[70]]
    found = audit(base, new)
    assert (found.verdict, found.depth) == ("clean", 71)
    assert found.inferred is not None
    assert found.inferred.sure == "low"
    (note,) = [note for note in found.notes if "--depth" in note]
    assert note.startswith("in all but 1 query (q4) nothing changes below rank 20: ")
    assert audit(base, new, DEPTH).broken == ("q4",)


@needs_shared_data
@pytest.mark.parametrize("name", ["BM25_then_vicuna_depth20", "BM25_then_gpt35_depth100"])
@pytest.mark.parametrize("order", ["score", "rank"])
def test_the_reranks_of_dl20_raise_no_alarm(name: str, order: str) -> None:
    runs = SHARED / "dl20" / "runs"
    base, new = (read_run(runs / f"{run}.run", order=order) for run in ("BM25", name))
    found = audit_rerank(base, new)
    assert (found.verdict, found.cause) == ("clean", "")
    assert found.inferred is not None
    assert found.inferred.sure == ("high" if "20" in name else "low")  # of 100 documents all were reranked
