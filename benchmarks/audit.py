"""Whether `rankproof audit report` ever calls a true report impossible.

    python benchmarks/audit.py [--reports 2000] [--seed 0] [--tiny]

True reports are made from the runs of dl20 and scifact and a BM25 run on cranfield, or of a few made up documents with
many ties. Each is what somebody could
publish: some queries, some of them unanswered, rankings cut at some depth, measures with the definitions of some tool,
one grade as the least relevant one, means over all queries or over those answered, and values rounded in one of several
ways. Then some of what is true of it is stated, and it is audited. None may be impossible.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate
from rankproof.proving.audit.claims import read_claims
from rankproof.proving.audit.readings import Stated, interpret
from rankproof.proving.audit.report import audit_report, refute
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("dl20", "scifact", "cranfield")
TINY = "tiny"
Qrels = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]

CUTOFFS = (1, 3, 5, 10, 20)
BINARY = ("P@{k}", "R@{k}", "RR@{k}", "RR", "Success@{k}", "AP@{k}", "AP", "Rprec", "F@{k}")
GRADED = ("nDCG@{k}", "nDCG", "DCG@{k}", "ERR@{k}", "nERR@{k}", "RBP")
# What a tool may have written where a report says only the name: definitions that the pages of the measures list.
UNSAID = {
    "P": ("", "(denominator=returned)"),
    "R": ("", "(denominator=min_k)"),
    "AP": ("", "(denominator=min_k)", "(denominator=relevant_retrieved)"),
    "nDCG": (
        "", "(gain=exp2)", "(ideal=judged_uncut)", "(ideal=retrieved)", "(discount=jk2002)", "(gain={1:0,2:1,3:10})",
        "(rel=2)",
    ),
    "ERR": ("", "(max_grade=4)"),
}  # fmt: skip
TOOLS = ("trec_eval", "pytrec_eval", "beir", "ranx", "quepid", "opensearch", "elasticsearch", "ir_measures")
NEED_TOTAL = ("R", "AP", "Rprec", "F", "nDCG", "nERR", "RBP", "ERR", "DCG")


@dataclass(frozen=True)
class TrueReport:
    """A report that is true, and what is stated of it."""

    source: str
    values: tuple[str, ...]
    stated: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.source}: {' '.join(self.values)} {self.stated}"


@dataclass
class VerdictTally:
    """How often each verdict came, by what was stated; and the reports that were called impossible."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[TrueReport] = field(default_factory=list)
    reports: int = 0


@cache
def collection(name: str) -> tuple[Qrels, dict[str, Ranked]]:
    """Judgments and runs of a set."""
    qrels: Qrels = {}
    for line in (DATA / name / "qrels.trec").read_text("utf-8").splitlines():
        query, _, doc, grade = line.split()
        qrels.setdefault(query, {})[doc] = int(grade)
    paths = sorted((DATA / name).glob("**/*.run"))
    return qrels, {path.stem: _run(path) for path in paths} or {"bm25": _bm25(DATA / name)}


def _run(path: Path) -> Ranked:
    run: Ranked = {}
    for line in path.read_text("utf-8").splitlines():
        query, _, doc, _, score, *_ = line.split()
        run.setdefault(query, {})[doc] = float(score)
    return run


def _bm25(folder: Path) -> Ranked:
    docs, asked = (
        [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("corpus.jsonl", "queries.jsonl")
    )
    fields = {name: tuple(doc.get(name, "") for doc in docs) for name in ("title", "text")}
    queries = [Query(query["_id"], query["text"]) for query in asked]
    engine = shelf.find("engines", "bm25")
    corpus = Corpus(tuple(doc["_id"] for doc in docs), fields)
    rankings = engine.open(parameters_of(engine), Ground(corpus)).search(queries, 100)
    return {
        query.query_id: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
        for query, ranking in zip(queries, rankings, strict=True)
    }


def shortened(value: float, decimals: int, how: str) -> str:
    """The value as a report prints it."""
    unit = Decimal(1).scaleb(-decimals)
    exact = Decimal(value)
    if how == "twice":
        exact = exact.quantize(unit / 10, ROUND_HALF_EVEN)
    rule = {"truncated": ROUND_DOWN, "half_even": ROUND_HALF_EVEN}.get(how, ROUND_HALF_UP)
    return str(exact.quantize(unit, rule))


def tiny(rng: np.random.Generator) -> tuple[Qrels, dict[str, Ranked]]:
    """A few queries with a few documents each, of all grades, many of them tied, unjudged or not ranked."""
    qrels: Qrels = {}
    run: Ranked = {}
    for query in map(str, range(1, int(rng.integers(3, 9)))):
        docs = [f"d{i}" for i in range(int(rng.integers(1, 7)))]
        qrels[query] = {doc: int(rng.choice((0, 0, 1, 1, 2, 3))) for doc in docs if rng.random() < 0.8} or {"d0": 0}
        run[query] = {doc: float(rng.integers(0, 3)) for doc in docs if rng.random() < 0.8}
    return qrels, {"made up": {query: ranked for query, ranked in run.items() if ranked}}


def true_report(rng: np.random.Generator, sets: Sequence[str] = SETS) -> TrueReport | None:
    """A true report, and some true statements about it; None where the tool refuses to measure."""
    name = str(rng.choice(sets))
    every, runs = tiny(rng) if name == TINY else collection(name)
    run_name = str(rng.choice(sorted(runs)))
    ids = sorted(every)
    queries = 1 if rng.random() < 0.25 else int(rng.integers(2, len(ids) + 1))
    qrels = {query: every[query] for query in rng.choice(ids, queries, replace=False).tolist()}
    # A defined report is measured and read by one tool's definitions; else the reader knows the names only.
    defined = rng.random() < 0.5
    tool = str(rng.choice(("rankproof", *TOOLS))) if rng.random() < 0.6 else "rankproof"
    texts, asked, levels = _measures(rng, tool, 1 if name == "scifact" else 3, defined)
    average = str(rng.choice(("all", "answered")))
    run = {query: _coarse(rng, runs[run_name][query]) for query in qrels if query in runs[run_name]}
    lost = [query for query in run if queries > 1 and rng.random() < rng.choice((0.0, 0.1, 0.4))]
    for query in lost:
        del run[query]
    if not run:
        return None
    # Tools differ in whether they count a query without an answer; rankproof counts it, if it is judged.
    judged = {q: docs for q, docs in qrels.items() if q in run} if average == "answered" else qrels
    settings: dict[str, Any] = {
        "dialect": tool,
        "depth": [None, 5, 10, 50][int(rng.integers(4))],
        "complete": average == "all",
        "undefined": str(rng.choice(("zero", "skip"))),
    }
    if not defined and tool == "rankproof":
        settings["ties"] = str(rng.choice(("rule", "expected")))
    means = _means(judged, run, asked, settings)
    if means is None:
        return None
    how = str(rng.choice(("half_up", "half_even", "truncated", "twice")))
    decimals = int(rng.integers(2, 5))
    values = tuple(f"{text}={shortened(mean, decimals, how)}" for text, mean in zip(texts, means, strict=True))
    stated: dict[str, Any] = {"queries": queries, **_pool_stated(rng, qrels, texts, levels)}
    if defined:
        stated["dialect"] = tool
    # A mean that leaves out queries where a measure is undefined is not over all of them.
    true_average = "answered" if settings["undefined"] == "skip" else average
    # What the tool does by itself need not be stated. BEIR averages some measures over all queries and others over
    # those answered: measured with one average, it must be.
    own = tool != "beir" and true_average == {"zero": "all", "drop": "answered"}[_missing(tool)]
    if (defined and not own) or (rng.random() < 0.5 and (defined or tool != "beir")):
        stated["average"] = true_average
    if rng.random() < 0.5 and how != "twice":
        stated["rounding"] = "truncated" if how == "truncated" else "nearest"
    return TrueReport(f"{name}/{run_name} by {tool}, {how}, {settings}", values, stated)


def _coarse(rng: np.random.Generator, scores: Mapping[str, float]) -> dict[str, float]:
    """The scores as they are, or with so few different ones that many documents are tied."""
    steps = [None, 3, 20][int(rng.choice(3, p=(0.6, 0.2, 0.2)))]
    if steps is None:
        return dict(scores)
    least, most = min(scores.values()), max(scores.values())
    step = (most - least) / steps or 1.0
    return {doc: math.floor((score - least) / step) for doc, score in scores.items()}


def _missing(tool: str) -> str:
    return str(shelf.find("dialects", tool).reading.missing)


def _measures(
    rng: np.random.Generator, tool: str, top: int, defined: bool
) -> tuple[list[str], list[str], dict[str, int]]:
    """Names as a report has them, what was measured, and by name the least relevant grade that is left unsaid."""
    has = shelf.find("dialects", tool).speaks
    forms = [form for form in (*BINARY, *GRADED) if not has or form.split("@")[0] in has]
    texts, asked, levels = [], [], {}
    written = defined or rng.random() < 0.5
    unsaid = {name: str(rng.choice(options)) for name, options in UNSAID.items()}
    # One line for all measures, or one for each of them.
    lines = {form.split("@")[0]: int(rng.integers(1, top + 1)) for form in BINARY}
    if rng.random() < 0.5:
        lines = dict.fromkeys(lines, lines["P"])
    for form in rng.choice(forms, int(rng.integers(1, min(5, len(forms)) + 1)), replace=False).tolist():
        name, _, cut = str(form).format(k=int(rng.choice(CUTOFFS))).partition("@")
        at = f"@{cut}" if cut else ""
        rel = f"rel={lines[name]}" if lines.get(name, 1) > 1 else ""
        levels[name] = 1 if written else lines.get(name, 1)
        options = ""
        if not defined and tool == "rankproof":
            options = unsaid.get(name, "").strip("()")
        texts.append(f"{name}({rel}){at}" if rel and written else f"{name}{at}")
        both = ",".join(option for option in (rel, options) if option)
        asked.append(f"{name}({both}){at}" if both else f"{name}{at}")
    return texts, asked, levels


def _means(qrels: Qrels, run: Ranked, asked: Sequence[str], settings: Mapping[str, Any]) -> list[float] | None:
    from rankproof.errors import RankproofError

    try:
        means = [result.mean for result in evaluate(qrels, run, asked, **settings).values()]
    except RankproofError:
        return None  # outside what the tool computes
    return means if len(means) == len(asked) and all(map(math.isfinite, means)) else None


def _pool_stated(
    rng: np.random.Generator, qrels: Qrels, texts: Sequence[str], levels: Mapping[str, int]
) -> dict[str, Any]:
    """What is said of the relevant documents: nothing, their numbers, or their grades."""
    names = {text.split("@")[0].split("(")[0] for text in texts}
    pools = {tuple(sorted((g for g in docs.values() if g > 0), reverse=True)) for docs in qrels.values()}
    # Documents of grade 1 or more; or, where the line is not written, those above the one that the measure draws.
    lines = {1} if rng.random() < 0.5 else {*levels.values()}
    counts = [sum(grade >= least for grade in pool) for pool in pools for least in lines]
    must = bool(names & set(NEED_TOTAL))
    if sum(map(len, pools)) <= 60 and rng.random() < 0.5:
        return {"grades": [",".join(map(str, pool)) or "0" for pool in sorted(pools)]}
    if must or rng.random() < 0.5:
        return {"relevant": f"{min(counts)}-{max(counts)}"}
    return {}


def true_reports(many: int, seed: int = 0, sets: Sequence[str] = SETS) -> Iterator[TrueReport]:
    """So many true reports."""
    rng = np.random.default_rng(seed)
    while many:
        report = true_report(rng, sets)
        if report is not None:
            many -= 1
            yield report


# Every so many reports an example is searched too, which takes longest.
WHOLE = 50
VERDICTS = ("possible", "undecided", "not impossible", "impossible")


def _verdict(report: TrueReport, whole: bool) -> str:
    claims = read_claims(report.values)
    if whole:
        return audit_report(claims, **report.stated).verdict
    given = {name: value for name, value in report.stated.items() if name != "queries"}
    stated = Stated(**{**given, "grades": tuple(given.get("grades", ()))})
    queries = report.stated["queries"]
    proof = refute(interpret(claims, stated, queries), queries, explain=False)
    return "not impossible" if proof is None else "impossible"


def audited(many: int, seed: int = 0, sets: Sequence[str] = SETS, *, progress: bool = False) -> VerdictTally:
    """The verdicts on true reports."""
    tally = VerdictTally()
    began = time.perf_counter()
    for report in true_reports(many, seed, sets):
        verdict = _verdict(report, whole=tally.reports % WHOLE == 0)
        tally.reports += 1
        stated = " ".join(sorted(set(report.stated) - {"queries"})) or "nothing"
        tally.counts[stated, verdict] += 1
        if verdict == "impossible":
            tally.wrong.append(report)
        if progress and tally.reports % 100 == 0:
            print(f"{tally.reports} reports, {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tiny", action="store_true", help="of a few made up documents, not of real runs")
    options = parser.parse_args()
    tally = audited(options.reports, options.seed, (TINY,) if options.tiny else SETS, progress=True)
    print("| stated | possible | undecided | no proof | impossible |\n| --- | --- | --- | --- | --- |")
    for stated in sorted({stated for stated, _ in tally.counts}):
        row = [str(tally.counts[stated, verdict]) for verdict in VERDICTS]
        print(f"| {stated} | {' | '.join(row)} |")
    print(f"\n{tally.reports} true reports, {len(tally.wrong)} of them called impossible")
    for report in tally.wrong[:20]:
        print(report)


if __name__ == "__main__":
    main()
