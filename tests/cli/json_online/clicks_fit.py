"""`rankproof clicks fit`: the sample's log in all forms of the answer, a log without sessions, and what is refused."""

from __future__ import annotations

from tests.cli.json_case import Case

FILES = {
    "pages.txt": "q1\ta,b,c : a , a , z; q1\tb,a,c : b;\nq2\ta,d : d; q2\td,a :;\n",
    "nothing_shown.csv": "query,doc,rank,clicked\nq,a,3,1\n",
}

CASES = [
    Case("clicks fit clicks.jsonl --json", "clicks/1"),
    Case("clicks fit pages.txt --least-showings 1 --least-confidence 0 -m ctr --curve none --json", "clicks/1"),
    Case("clicks fit clicks.jsonl --signal dwell --test sessions --shares 0.5,0.9 --json", "clicks/1"),
    Case(
        "clicks fit clicks.jsonl --steps click=0.1,dwell=0.1,conversion=0.02 -m user_browsing --curve user_browsing "
        "--resamples 20 --qrels made.qrels --grades made.csv --json",
        "clicks/1",
    ),
    Case("clicks fit nothing_shown.csv --json", "error/1", 1),
    Case("clicks fit clicks.jsonl --drop too_quick=1 --json", "error/1", 2),
    Case("clicks fit clicks.jsonl --grades made.xlsx --json", "error/1", 2),
]
