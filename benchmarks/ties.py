"""How long means over orders of tied documents take for measures without a closed form.

    python benchmarks/ties.py [--queries 6980] [--repeats 2] [--against PYTHON]

Rankings of 50 documents that all tie. "few" has one or two judged documents a query, so that all orders are gone
through; "several" three to seven, and "all" all of them: those are sampled. Times are CPU seconds, the best of several;
`--against` is the interpreter of another checkout, whose values must be the same to the last bit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import time

import numpy as np

from rankproof.measuring.names import parse
from rankproof.measuring.prepare import prepare_qrels
from rankproof.measuring.ties import over_ties
from rankproof.reading.records import DEFAULT_ORDER

TIED = 50
MEASURES = ("Bpref", "YAAP", "INST", "nDCGrel")
JUDGED = {"few": (1, 2), "several": (3, 7), "all": (TIED, TIED)}


def measured(queries: int, repeats: int) -> dict[str, tuple[float, str]]:
    """By kind of query and measure: CPU seconds, and a hash of all values."""
    found = {}
    for kind, (least, most) in JUDGED.items():
        rng = np.random.default_rng(3)
        run = {str(query): {f"d{i}": 1.0 for i in range(TIED)} for query in range(queries)}
        qrels = {
            query: {
                f"d{i}": int(rng.integers(0, 4)) for i in rng.choice(TIED, rng.integers(least, most + 1), replace=False)
            }
            for query in run
        }
        table = prepare_qrels(qrels).prepare(run).table(DEFAULT_ORDER)
        for measure in MEASURES:
            times = []
            for _ in range(repeats):
                began = time.process_time()
                values = over_ties(table, parse(measure)[0]).by_query
                times.append(time.process_time() - began)
            found[f"{kind} {measure}"] = min(times), hashlib.sha256(values.tobytes()).hexdigest()
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--queries", type=int, default=6980)
    options.add_argument("--repeats", type=int, default=2)
    options.add_argument("--against", metavar="PYTHON", help="the interpreter of another checkout")
    options.add_argument("--as-json", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    ours = measured(asked.queries, asked.repeats)
    if asked.as_json:
        print(json.dumps(ours))
        return
    theirs = {}
    if asked.against:
        more = ["--queries", str(asked.queries), "--repeats", str(asked.repeats), "--as-json"]
        theirs = json.loads(subprocess.check_output([asked.against, __file__, *more]))
    for name, (seconds, values) in ours.items():
        line = f"{name:<18} {seconds:7.2f} CPU s"
        if name in theirs:
            before, other = theirs[name]
            same = "the same values" if other == values else "THE VALUES DIFFER"
            line += f", {before:7.2f} there: {before / seconds:5.1f} times as fast, {same}"
        print(line)


if __name__ == "__main__":
    main()
