"""`rankproof interleave`: lists, a log with its lists and one without, three systems, plans, and what is refused."""

from __future__ import annotations

from tests.cli.json_case import Case

PAGES = [f"s{i % 20},s{i},q0{1 + i % 8}" for i in range(40)]
RUNS = "--run bm25.run --run hybrid.run"
FILES = {
    "mixed_pages.csv": "\n".join(["unit,key,query_id", *PAGES]) + "\n",
    # The first document of either run is among the first two of every list.
    "mixed_clicks.csv": "\n".join(["key,doc_id,dwell", "s0,p4068,31", "s8,p4068,", "s16,p4068,4", "s1,nowhere,9"])
    + "\n",
    "mixed_nobody.csv": "key,query_id\ns0,q99\n",
}
STORED = (f"interleave show {RUNS} --keys mixed_pages.csv -o mixed_shown.jsonl",)

CASES = [
    Case(f"interleave show q01 {RUNS} --key s0 --json", "interleaved/1"),
    Case(f"interleave show {RUNS} --keys mixed_pages.csv --method optimized --json", "interleaved/1"),
    Case(f"interleave show {RUNS} --keys mixed_nobody.csv --json", "error/1", 1),
    Case("interleave show q01 --run bm25.run --key s0 --json", "error/1", 2),
    Case("interleave read mixed_shown.jsonl mixed_clicks.csv --json", "interleaving/1"),
    Case(
        "interleave read mixed_shown.jsonl mixed_clicks.csv --fixed --credit dwell --baseline hybrid --json",
        "interleaving/1",
    ),
    Case(
        f"interleave read mixed_pages.csv mixed_clicks.csv {RUNS} --run dense.run --method probabilistic --json",
        "interleaving/1",
    ),
    Case("interleave read mixed_clicks.csv --json", "error/1", 1),
    Case("interleave plan --share 0.6 --decided 0.5 --per-day 100 --json", "interleaving-plan/1"),
    Case("interleave plan --units 500 --json", "interleaving-plan/1"),
    Case("interleave plan --share 0.5 --json", "error/1", 2),
]
