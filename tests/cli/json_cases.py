"""Command lines that give JSON, several for each command, in a copy of the sample: with status and schema."""

from __future__ import annotations

from pathlib import Path

from tests.cli import json_models, json_online
from tests.cli.json_case import Case
from tests.reading.formats.samples import traced

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
INDEXED = """
[benchmark]
dataset = "sample:shop"

[modes]
lexical = "opensearch(index='shop', url='http://127.0.0.1:9')"
local = "bm25()"
"""
DIALS = f"""{STACK}
[tune]
method = "optuna"
trials = 5

[tune.dials]
hybrid.k = {{low = 1, high = 100, log = true}}
hybrid.weights = [[1, 1], [2, 1]]
"""
KEEP = f"""{STACK}
[tune]
measure = "P@1"

[tune.dials]
hybrid.k = [60, 61]
"""
PRICED = f"""{STACK}
cut = "hybrid >> cutoff(depth=5)"
[limits]
attempts = 1
[cost]
currency = "EUR"
[cost.steps]
replay = 0.1
[cost.modes]
hybrid = 0.5
"""
# A store that the commands about judgments find.
STORED = (
    "judgments init judging.db --project kept --dataset . --run bm25=bm25.run",
    "judgments import judging.db qrels.trec --judge ann",
    "judgments init texts.db --project shop --scale esci --dataset sample:shop",
    "judgments init round.db --project round --dataset . --run bm25=bm25.run",
    "judgments import round.db few.trec --judge ann",
    "judgments import round.db few.trec --judge bob",
    "judgments assign round.db --judges zoe --pairs 4",
    *json_online.STORED,
)
COLUMNS = "query_id,kind\nq01,head\nq02,tail\nq03,head\nq04,tail\nq05,head\nq06,tail\n"
TIED = "q01 Q0 d1 1 1 t\nq01 Q0 d2 2 1 t\nq02 Q0 d3 1 1 t\n"
TWICE = "q01 Q0 d1 1 2 t\nq01 Q0 d1 2 1 t\n"
# People's grades of some of what the model graded: every third of all, and the first dozen.
_GRADES = (
    (Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings" / "qrels.trec")
    .read_text()
    .splitlines(True)
)
FILES = {
    "said.json": '{"hits": [{"id": "d1", "title": "A lamp"}, {"id": "d2", "title": "A desk"}]}',
    "sampled.trec": "".join(_GRADES[::3]),
    "few.trec": "".join(_GRADES[:12]),
    "kinds.tsv": "bm25.run\tlexical\ndense.run\tneural\n",
    "policy.toml": POLICY,
    "one.toml": ONE_RUN,
    "stack.toml": STACK,
    "priced.toml": PRICED,
    "dials.toml": DIALS,
    "keep.toml": KEEP,
    "columns.csv": COLUMNS,
    "groups.csv": "run,group,file\nbm25,lexical,bm25.run\ndense,vector,\nhybrid,fusion,hybrid.run\n",
    "tied.run": TIED,
    "twice.run": TWICE,
    "pairs.tsv": "query_id\tdoc_id\nq01\tP0053F5\nq01\tP01DC6E\n",
    "ruled.json": '{"schema": "verdict/1", "status": "PASS", "policy": {"name": "p"}, "candidate": "c", "rulings": []}',
    "empty": "",
    "gold.jsonl": "".join(f'{{"query_id": "q{i}", "doc_id": "d", "start": {i}, "end": {i + 50}}}\n' for i in range(30)),
    "short.csv": "query_id,doc_id,start,end\n" + "".join(f"q{i},d,{i},{i + 20 + i % 3}\n" for i in range(30)),
    "long.csv": "query_id,doc_id,start,end\n" + "".join(f"q{i},d,0,{60 + i % 5}\n" for i in range(30)),
    "traces.json": traced().decode(),
    "tasks.trec": "".join(f"t{i} 0 a{i} 1\nt{i} 0 b{i} 1\n" for i in range(30)),
    "twice.jsonl": "".join(
        f'{{"task_id": "t{i}", "call": {n}, "docs": ["{d}{i}"], "tokens": {100 + i * n}}}\n'
        for i in range(30)
        for n, d in enumerate("axb"[i % 3 :], 1)
    ),
    "once.csv": "task_id,docs\n" + "".join(f"t{i},a{i} b{i}\n" for i in range(29)),
    "indexed.toml": INDEXED,
    **json_online.FILES,
    **json_models.FILES,
}

CASES = [
    *json_models.CASES,
    Case("index indexed.toml --dry-run --json", "index/1"),
    Case("index stack.toml --json", "error/1", 2),
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
    Case(
        "compare qrels.trec bm25.run dense.run -m RR --queries columns.csv --by kind --non-inferiority 0.1 "
        "--reuse-check groups.csv --pool-depth 10 --json",
        "comparison/1",
    ),
    Case("compare qrels.trec bm25.run dense.run --reuse-check groups.csv --json", "error/1", 2),
    Case("compare qrels.trec bm25.run dense.run -m AP --equivalence 0.1 --significance bca --json", "comparison/1"),
    Case("compare qrels.trec bm25.run tied.run -m RR --non-inferiority 0.1 --open -q --json", "comparison/1"),
    Case("gate policy.toml --json", "verdict/1"),
    Case("gate policy.toml --candidate tied.run --format json", "verdict/1", 1),
    Case("gate one.toml --json", "verdict/1", 3),
    Case("next qrels.trec bm25.run dense.run --json", "next/1"),
    Case("next qrels.trec bm25.run dense.run hybrid.run -m RR -n 3 --topics topics.tsv --json", "next/1"),
    Case("leaderboard qrels.trec bm25.run dense.run hybrid.run --json", "leaderboard/1"),
    Case("leaderboard qrels.trec bm25.run dense.run hybrid.run --baseline bm25 -m NumRet --json", "leaderboard/1"),
    Case("power qrels.trec bm25.run dense.run --json", "power/1"),
    Case("power qrels.trec bm25.run bm25.run -m RR --json", "power/1"),
    Case("power --sd 0.2 --queries 50 --difference 0.02 --json", "power/1"),
    Case("audit report --dialect rankproof --relevant 5 P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75 --json", "audit/1", 1),
    Case("audit report --relevant 5 P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75 --json", "audit/1", 3),
    Case("audit report --relevant 2 P@2=0.5 RR=1 --json", "audit/1"),
    Case("audit report --queries 54 --dialect rankproof P@10=0.6137 --json", "audit/1", 1),
    Case("audit rerank bm25.run bm25.run --json", "audit/1"),
    Case("audit rerank bm25.run dense.run --depth 5 --qrels qrels.trec --json", "audit/1", 1),
    Case("spans gold.jsonl short.csv -q --overlap 0.5 --json", "evaluation/1"),
    Case("spans gold.jsonl short.csv long.csv --overlap 0.25,0.5 --json", "comparison/1"),
    Case("spans short.csv gold.jsonl nowhere.csv --json", "error/1", 1),
    Case("tasks tasks.trec twice.jsonl -q --json", "evaluation/1"),
    Case("tasks tasks.trec twice.jsonl once.csv --json", "comparison/1"),
    Case("tasks tasks.trec bm25.run --json", "error/1", 1),
    Case("traces traces.json --json", "traces/1"),
    Case("traces traces.json --unit trace --out traced --json", "traces/1"),
    Case("traces bm25.run --json", "error/1", 1),
    Case("similarity bm25.run dense.run --json", "similarity/1"),
    Case("similarity bm25.run tied.run -m RBO,Jaccard@5 -q --json", "similarity/1"),
    Case("runs validate bm25.run tied.run --qrels qrels.trec --json", "validation/1", 1),
    Case("runs validate bm25.run twice.run nowhere.run --json", "validation/1", 1),
    Case("runs validate tied.run --fix fixed.run --json", "validation/1"),
    Case("qrels validate qrels.trec --json", "validation/1"),
    Case("validate bm25.run qrels.trec topics.tsv --json", "validation/1"),
    Case("validate twice.run nowhere.run --json", "validation/1", 1),
    Case("convert bm25.run bm25.json --json", "conversion/1"),
    Case("convert topics.tsv topics.jsonl --noun topics --json", "conversion/1"),
    Case("benchmark run stack.toml -o report --json", "benchmark/1"),
    Case("benchmark run stack.toml -o report --mode hybrid -q --format json", "benchmark/1"),
    Case("benchmark run priced.toml -o report --json", "benchmark/1"),
    Case("tune dials.toml -o tuning --json", "tune/1"),
    Case("tune keep.toml -o tuning --json", "tune/1"),
    Case("runs fetch stack.toml -o fetched --json", "fetch/1"),
    Case("fetch stack.toml -o other_fetched --json", "fetch/1"),
    Case("search stack.toml q01 --json", "search/1"),
    Case("search stack.toml q01 --mode hybrid -n 3 --json", "search/1"),
    Case("demo -o demo-report --json", "demo/1"),
    Case("dataset show . --json", "dataset/1"),
    Case("dataset prepare . prepared --sample 5 --json", "dataset/1"),
    Case("dataset draft sample:shop -o drafts -n 9 --endpoint http://x/v1 --model m --dry-run --json", "drafting/1"),
    Case(
        "dataset draft sample:shop -o drafts -n 9 --endpoint http://x/v1 --model m --dry-run --strata field:brand "
        "--detect 0.05 --qrels qrels.trec --run bm25.run --run dense.run --json",
        "drafting/1",
    ),
    Case("dataset split . parts --part dev=0.4 --part test=0.4 --by wants --json", "dataset/1"),
    Case(
        "judgments init new.db --project new --scale esci --dataset . --run dense=dense.run --json", "judging-project/1"
    ),
    Case("judgments init judging.db --project other --json", "judging-project/1"),
    Case("judgments add judging.db --project kept --run dense=dense.run --json", "judging-project/1"),
    Case("judgments sheet round.db tojudge.xlsx --judge zoe --json", "judgments-sheet/1"),
    Case("judgments sheet judging.db tojudge.txt --project kept --json", "error/1", 2),
    Case(
        "init http://x/s?q={query} topics.tsv --answer said.json -o first.toml --policy may.toml --json",
        "first-config/1",
    ),
    Case("init nowhere topics.tsv --json", "error/1", 2),
    Case("judgments import judging.db qrels.trec --project kept --judge bob --json", "judgments-import/1"),
    Case("judgments change judging.db --project kept --wanted 2 --gold 0.1 --json", "judging-settings/1"),
    Case("judgments gold judging.db few.trec --project kept --share 0.05 --json", "gold/1"),
    Case("judgments assign round.db --judges ana,bo --pairs 20 --overlap 5 --json", "assignments/1"),
    Case("judgments unassign round.db zoe --json", "assignments/1"),
    Case("judgments invite judging.db ana bo --project kept --json", "invitations/2"),
    Case("judgments agreement round.db --json", "agreement/1"),
    Case("judgments backup round.db copy.db --json", "judging-backup/1"),
    Case("judgments backup nowhere.db copy.db --json", "error/1", 2),
    Case("judgments steps round.db --json", "judging-steps/1"),
    Case("judgments inbox round.db --json", "judging-inbox/1"),
    Case("judgments close round.db --json", "judging-round/1"),
    Case("judgments show round.db --json", "judgments/1"),
    Case("judgments keep judging.db ruled.json --project kept --json", "kept-reports/1"),
    Case("judgments show judging.db --project kept --json", "judgments/1"),
    Case("judgments adjudicate judging.db --project kept --json", "adjudication/1"),
    Case("judgments adjudicate judging.db --project kept --source model --method mean --json", "adjudication/1"),
    Case("judgments export judging.db settled.csv --project kept --json", "judgments-export/1"),
    Case("judgments export judging.db topics.tsv --project kept --what topics --json", "judgments-export/1"),
    Case("judgments export judging.db - --project kept --what judgments --to json", "acts/1"),
    Case("judgments export judging.db - --project kept --what flags --to json --history", "acts/1"),
    Case(
        "judge calibrate --human qrels.trec --model model.trec --run bm25.run --run dense.run --run hybrid.run --json",
        "calibration/1",
    ),
    Case(
        "judge calibrate --human qrels.trec --model a=model.trec --model a=qrels.trec --relevant 2 --json",
        "calibration/1",
    ),
    Case("judge calibrate --human qrels.trec --model qrels.trec --run bm25.run --json", "calibration/1"),
    Case(
        "judge calibrate --human few.trec --model model.trec --run bm25.run --run dense.run --groups kinds.tsv --json",
        "calibration/1",
    ),
    Case("judge plan bm25.run --model model.trec -n 100 -m nDCG@10 --json", "judging-plan/1"),
    Case("judge estimate bm25.run dense.run --human sampled.trec --model model.trec --json", "correction/1"),
    Case("judge estimate bm25.run --human few.trec --model model.trec -m nDCG@5 --json", "correction/1"),
    Case("judge plan bm25.run dense.run --model model.trec -n 40 --json", "judging-plan/1"),
    Case("judge run texts.db --endpoint http://x/v1 --model m --list pairs.tsv --dry-run --json", "model-judging/1"),
    Case(
        "judge run judging.db --project kept --endpoint http://x/v1 --model m --price-in 1 --dry-run --json",
        "model-judging/1",
    ),
    Case(
        "judge plan bm25.run dense.run --model model.trec -n 40 --human sampled.trec --compare --json",
        "judging-plan/1",
    ),
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
    Case("leaderboard qrels.trec bm25.run --json", "error/1", 2),
    Case("power --json", "error/1", 2),
    Case("audit report --json", "error/1", 2),
    Case("audit rerank bm25.run empty --json", "error/1", 1),
    Case("similarity bm25.run empty --json", "error/1", 1),
    Case("convert bm25.run bm25.unknown --json", "error/1", 2),
    Case("benchmark run several.toml -o report --json", "benchmark-datasets/1"),
    Case("benchmark run nowhere.toml --json", "error/1", 1),
    Case("benchmark run several.toml --dataset nowhere --json", "error/1", 2),
    Case("tune stack.toml --json", "error/1", 2),
    Case("runs fetch stack.toml --mode nowhere --json", "error/1", 2),
    Case("fetch stack.toml --mode nowhere --json", "error/1", 2),
    Case("search nowhere.toml shoes --json", "error/1", 1),
    Case("demo -o qrels.trec --json", "error/1", 2),
    Case("dataset show nowhere --json", "error/1", 1),
    Case("dataset prepare . . --json", "error/1", 2),
    Case("dataset split . halves --part dev --json", "error/1", 2),
    Case("dataset draft sample:shop -o drafts -n 900 --endpoint http://x/v1 --model m --dry-run --json", "error/1", 2),
    Case("judgments init judging.db --project kept --json", "error/1", 2),
    Case("judgments add judging.db --json", "error/1", 2),
    Case("judgments import judging.db qrels.trec --project kept --json", "error/1", 2),
    Case("judgments change judging.db --project kept --selection deep --json", "error/1", 2),
    Case("judgments gold judging.db nowhere.trec --project kept --json", "error/1", 1),
    Case("judgments assign round.db --judges ana,bo --pairs 20000 --json", "error/1", 2),
    Case("judgments unassign round.db nobody --json", "error/1", 2),
    Case("judgments invite judging.db ana --origin nowhere --json", "error/1", 2),
    Case("judgments agreement texts.db --json", "error/1", 1),
    Case("judgments steps nowhere.db --json", "error/1", 2),
    Case("judgments inbox round.db --settle zz --grade 1 --json", "error/1", 2),
    Case("judgments close nowhere.db --json", "error/1", 2),
    Case("judgments keep judging.db qrels.trec --project kept --json", "error/1", 1),
    Case("judgments show nowhere.db --json", "error/1", 2),
    Case("judgments adjudicate judging.db --project kept --method most --json", "error/1", 2),
    Case("judgments export judging.db x.txt --project kept --what flags --json", "error/1", 2),
    Case("judge calibrate --human qrels.trec --model nowhere.trec --json", "error/1", 1),
    Case("judge estimate bm25.run --human sampled.trec --model model.trec -m AP --json", "error/1", 2),
    Case("judge plan bm25.run --model model.trec -n 4000 --json", "error/1", 2),
    Case("judge run texts.db --endpoint http://x/v1 --json", "error/1", 2),
    Case("explain nothing_of_the_sort --json", "error/1", 2),
    Case("schema nothing/1 --json", "error/1", 2),
    Case("verify qrels.trec --json", "error/1", 1),
    Case("verify kept.json --run --json", "error/1", 2),
    *json_online.CASES,
]
