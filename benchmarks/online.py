"""How honest the online methods are: prints the tables that docs/online-statistics.md and docs/counterfactual.md show.

    python -m benchmarks.online                          every part, from the project's root
    python -m benchmarks.online sequential cuped         some parts
    python -m benchmarks.online --quick                  a tenth of the trials

The part `interleaving` needs the click log and the runs that lie beside the project (`../shared/data`); `examination`
leaves out what needs the log. Every random choice comes from the seed: the same numbers each time.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module

PARTS = ("sequential", "skew", "cuped", "mismatch", "interleaving", "examination", "counterfactual")


def main() -> None:
    """Prints the tables of the parts that were asked for."""
    parser = argparse.ArgumentParser(description="How honest the online methods are.")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all of them by default")
    parser.add_argument("--quick", action="store_true", help="a tenth of the trials")
    parser.add_argument("--seed", type=int, default=0, help="of every random choice; 0 by default")
    asked = parser.parse_args()
    for part in asked.parts:
        if part not in PARTS:
            parser.error(f"No part is called {part!r}. There are {', '.join(PARTS)}.")
    for part in asked.parts or PARTS:
        began = time.process_time()
        import_module(f"benchmarks.online_parts.{part}").study(0.1 if asked.quick else 1.0, asked.seed)
        print(f"\n{part}: {time.process_time() - began:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
