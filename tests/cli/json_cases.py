"""Command lines that give JSON, several for each command, in a copy of the sample: with status and schema."""

from __future__ import annotations

from dataclasses import dataclass

POLICY = """
[policy]
qrels = "qrels.trec"
baseline = "bm25.run"
candidate = "dense.run"
topics = "topics.tsv"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.3

[[rule]]
rule = "no_regression"
measure = "AP"
margin = 0.02

[[rule]]
rule = "checks"
"""
ONE_RUN = """
[policy]
qrels = "qrels.trec"
candidate = "dense.run"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.62
bands = {good = 0.35, strong = 0.40}

[[rule]]
rule = "least_value"
measure = "AP"
basis = "point"
at_least = 0.3
"""
STACK = """
[benchmark]
dataset = "."
measures = ["nDCG@10", "RR@10"]
segments = ["traffic"]

[modes]
lexical = "replay(path='bm25.run')"
vector = "replay(path='dense.run')"
hybrid = "fuse_rrf(lexical, vector)"
"""
COLUMNS = "query_id,kind\nq01,head\nq02,tail\nq03,head\nq04,tail\nq05,head\nq06,tail\n"
TIED = "q01 Q0 d1 1 1 t\nq01 Q0 d2 2 1 t\nq02 Q0 d3 1 1 t\n"
TWICE = "q01 Q0 d1 1 2 t\nq01 Q0 d1 2 1 t\n"
FILES = {
    "policy.toml": POLICY,
    "one.toml": ONE_RUN,
    "stack.toml": STACK,
    "columns.csv": COLUMNS,
    "tied.run": TIED,
    "twice.run": TWICE,
    "empty": "",
}


@dataclass(frozen=True)
class Case:
    """What is typed, what it exits with, and the schema of what it prints."""

    args: str
    schema: str
    status: int = 0

    @property
    def command(self) -> str:
        """The command's own words: "evaluate", "runs validate"."""
        words = self.args.split()
        return " ".join(words[:2]) if words[0] in ("runs", "qrels", "audit", "dataset", "benchmark") else words[0]


CASES = [
    Case("evaluate qrels.trec bm25.run --json", "evaluation/1"),
    Case("evaluate qrels.trec bm25.run dense.run hybrid.run -q --json", "evaluation/1"),
    Case("evaluate qrels.trec tied.run --ties range -q --format json", "evaluation/1"),
    Case("evaluate qrels.trec bm25.run -m all_trec --dialect trec_eval -q --json", "evaluation/1"),
    Case("evaluate qrels.trec tied.run --undefined skip -M 5 -J -l 2 -c --json", "evaluation/1"),
    Case("compare qrels.trec bm25.run dense.run --json", "comparison/1"),
    Case(
        "compare qrels.trec bm25.run dense.run hybrid.run -q --topics topics.tsv --correction bh --json", "comparison/1"
    ),
    Case("compare qrels.trec bm25.run dense.run -m nDCG@10 --queries columns.csv --by kind --json", "comparison/1"),
    Case("compare qrels.trec bm25.run bm25.run -m RR --no-beyond --json", "comparison/1"),
    Case("compare qrels.trec bm25.run dense.run -m AP --equivalence 0.1 --significance bca --json", "comparison/1"),
    Case("compare qrels.trec bm25.run tied.run -m RR --non-inferiority 0.1 --open -q --json", "comparison/1"),
    Case("gate policy.toml --json", "verdict/1"),
    Case("gate policy.toml --candidate tied.run --format json", "verdict/1", 1),
    Case("gate one.toml --json", "verdict/1", 3),
    Case("next qrels.trec bm25.run dense.run --json", "next/1"),
    Case("next qrels.trec bm25.run dense.run hybrid.run -m RR -n 3 --topics topics.tsv --json", "next/1"),
    Case("power qrels.trec bm25.run dense.run --json", "power/1"),
    Case("power qrels.trec bm25.run bm25.run -m RR --json", "power/1"),
    Case("power --sd 0.2 --queries 50 --difference 0.02 --json", "power/1"),
    Case("audit report --relevant 5 P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75 --json", "audit/1", 1),
    Case("audit report --relevant 2 P@2=0.5 RR=1 --json", "audit/1"),
    Case("audit report --queries 54 P@10=0.6137 --json", "audit/1", 1),
    Case("audit rerank bm25.run bm25.run --json", "audit/1"),
    Case("audit rerank bm25.run dense.run --depth 5 --qrels qrels.trec --json", "audit/1", 1),
    Case("similarity bm25.run dense.run --json", "similarity/1"),
    Case("similarity bm25.run tied.run -m RBO,Jaccard@5 -q --json", "similarity/1"),
    Case("runs validate bm25.run tied.run --qrels qrels.trec --json", "validation/1", 1),
    Case("runs validate bm25.run twice.run nowhere.run --json", "validation/1", 1),
    Case("runs validate tied.run --fix fixed.run --json", "validation/1"),
    Case("qrels validate qrels.trec --json", "validation/1"),
    Case("convert bm25.run bm25.json --json", "conversion/1"),
    Case("convert topics.tsv topics.jsonl --noun topics --json", "conversion/1"),
    Case("benchmark run stack.toml -o report --json", "benchmark/1"),
    Case("benchmark run stack.toml -o report --mode hybrid -q --format json", "benchmark/1"),
    Case("runs fetch stack.toml -o fetched --json", "fetch/1"),
    Case("search stack.toml q01 --json", "search/1"),
    Case("search stack.toml q01 --mode hybrid -n 3 --json", "search/1"),
    Case("dataset show . --json", "dataset/1"),
    Case("dataset prepare . prepared --sample 5 --json", "dataset/1"),
    Case("dataset split . parts --part dev=0.4 --part test=0.4 --by wants --json", "dataset/1"),
    Case("explain --json", "shelves/1"),
    Case("explain mrr@10 --json", "explanation/1"),
    Case("explain ndcg_cut --json", "explanation/1"),
    Case("explain duplicate_document --json", "explanation/1"),
    Case("schema --json", "schemas/1"),
    Case("verify kept.json --json", "verification/1"),
    Case("verify kept.json --run bm25=dense.run --json", "verification/1", 1),
    Case("verify kept.json --run bm25=nowhere.run --qrels qrels.trec --json", "verification/1", 1),
    Case("verify compared.json --json", "verification/1"),
    # Every kind of refusal, by the command that reads most, and one of each other command.
    Case("evaluate qrels.trec twice.run --json", "error/1", 1),
    Case("evaluate qrels.trec nowhere.run --json", "error/1", 1),
    Case("evaluate qrels.trec bm25.run -m nDGC --json", "error/1", 2),
    Case("evaluate qrels.trec --json", "error/1", 2),
    Case("compare qrels.trec bm25.run empty --json", "error/1", 1),
    Case("gate nowhere.toml --json", "error/1", 1),
    Case("next qrels.trec bm25.run --json", "error/1", 2),
    Case("power --json", "error/1", 2),
    Case("audit report --json", "error/1", 2),
    Case("audit rerank bm25.run empty --json", "error/1", 1),
    Case("similarity bm25.run empty --json", "error/1", 1),
    Case("convert bm25.run bm25.unknown --json", "error/1", 2),
    Case("benchmark run nowhere.toml --json", "error/1", 1),
    Case("runs fetch stack.toml --mode nowhere --json", "error/1", 2),
    Case("search nowhere.toml shoes --json", "error/1", 1),
    Case("dataset show nowhere --json", "error/1", 1),
    Case("dataset prepare . . --json", "error/1", 2),
    Case("dataset split . halves --part dev --json", "error/1", 2),
    Case("explain nothing_of_the_sort --json", "error/1", 2),
    Case("schema nothing/1 --json", "error/1", 2),
    Case("verify qrels.trec --json", "error/1", 1),
    Case("verify kept.json --run --json", "error/1", 2),
]
