"""How honest the statistics are on real scores: prints the Markdown tables that docs/statistics.md sums up.

    python benchmarks/statistics.py            the long form, about fifteen minutes on one core
    python benchmarks/statistics.py --quick    the same tables from a tenth of the trials

It needs the score matrices that lie beside the project (`../shared/data/score_matrices`). Every random choice comes
from a fixed seed: the same numbers each time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from simulation.attempts import family_passes, first_power
from simulation.families import family_error
from simulation.gates import gate_passes
from simulation.studies import Honesty, honesty, passes, planned, realized, spread_covers
from simulation.worlds import FOLDER, ByMeasure, Rate, Values, World, matrices, worlds

MEASURES = ("AP", "P@10", "RR", "all")
SIZES = (25, 50, 200)
# Query sets per pair of systems: as many as each method's cost allows.
TRIALS = {"t": 400, "randomization": 30, "studentized": 12, "bca": 12, "wilcoxon": 10, "sign": 50}


class Study:
    """One run of the script: the worlds, and how many trials are made in each."""

    def __init__(self, quick: bool) -> None:
        self.scores: dict[str, Values] = matrices()
        self.places: list[World] = worlds(self.scores, 100 if quick else 300)
        self.share = 0.3 if quick else 1.0
        self.kept: dict[tuple[str, str, int], Honesty] = {}

    def trials(self, many: int) -> int:
        """So many in the long form, fewer in the quick one."""
        return max(3, round(many * self.share))

    def honesty(self, method: str, null: str, n: int) -> Honesty:
        """Made once, shown in several tables."""
        key = (method, null, n)
        if key not in self.kept:
            self.kept[key] = honesty(self.places, method, null, n, self.trials(TRIALS[method]))
        return self.kept[key]

    # ---- one table each ----------------------------------------------------------------------------------------

    def swapped(self) -> Iterator[str]:
        """False alarms where the names of the two systems are swapped at random on each query."""
        for method in TRIALS:
            for n in SIZES:
                want = (0.04, 0.06) if method == "t" else None
                yield row(method, n, self.honesty(method, "swapped", n).rejects, want)

    def centered(self) -> Iterator[str]:
        """False alarms where the mean difference is 0 and all else is real."""
        for method in TRIALS:
            for n in SIZES:
                want = (0.04, 0.07 if n == 25 else 0.06) if method == "t" else None
                yield row(method, n, self.honesty(method, "centered", n).rejects, want)

    def coverage(self) -> Iterator[str]:
        """The share of 95% intervals that hold the true mean difference."""
        for method in TRIALS:
            for n in SIZES:
                found = self.honesty(method, "centered", n)
                want = (0.93, 0.97) if method in ("t", "studentized") else None
                yield row(method, n, found.covers, want, percent(found.unbounded["all"].share))

    def pairs(self) -> Iterator[str]:
        """How the false alarms of the t test differ from one pair of systems to another."""
        for n in SIZES:
            shares = self.honesty("t", "centered", n).by_world
            quantiles = (np.quantile(shares, q) for q in (0.1, 0.5, 0.9, 1.0))
            yield f"| {n} | {' | '.join(percent(q) for q in quantiles)} |"

    def families(self) -> Iterator[str]:
        """Families of all pairs of five systems: the share with at least one false alarm."""
        for correction, many in (("none", 1000), ("holm", 1000), ("bh", 1000), ("tukey", 1000)):
            for null in ("permuted", "centered"):
                for n in (25, 50):
                    found = family_error(self.scores, correction, null, n, self.trials(many))
                    tukey = correction == "tukey" and null == "permuted"
                    want = (0.0, 0.05 + 3 * found["all"].error) if tukey else None
                    yield row(f"{correction}, {null}", n, found, want)

    def power(self) -> Iterator[str]:
        """The power that was promised, and how often the difference was found."""
        for promised in (0.5, 0.8, 0.95):
            for n in SIZES:
                found = realized(self.places, n, promised, self.trials(100))
                yield row(percent(promised), n, found, (promised - 0.03, promised + 0.03))

    def pilots(self) -> Iterator[str]:
        """What a plan for 80% power comes to when its standard deviation was measured on a pilot."""
        for pilot in (15, 25, 50, 200):
            covers = spread_covers(self.places, pilot, self.trials(10))["all"].share
            plain, careful = (planned(self.places, pilot, 3, careful=careful) for careful in (False, True))
            cells = [percent(covers), percent(plain.mean()), percent(np.quantile(plain, 0.1))]
            cells += [percent(np.mean(plain >= 0.795)), percent(np.mean(careful >= 0.795))]
            yield f"| {pilot} | {' | '.join(cells)} |"

    def gates(self) -> Iterator[str]:
        """A system that is worse by just the margin: how often a no-regression rule passes it."""
        worse = [world.worse() for world in self.places]
        for name, places, method, many in (
            ("either of the two, by t", self.places, "t", 200),
            ("the worse of the two, by t", worse, "t", 200),
            ("the worse of the two, by studentized", worse, "studentized", 12),
            ("longer tail of losses, by t", [world.tailed("losses") for world in self.places], "t", 100),
            ("longer tail of gains, by t", [world.tailed("gains") for world in self.places], "t", 100),
        ):
            for n in SIZES:
                found = passes(places, n, self.trials(many), method=method)
                yield row(name, n, found, _allowed(n, found["all"]) if places is self.places else None)
        for n in SIZES:
            whole = gate_passes(self.scores["P@10"], n, self.trials(4000))
            yield row("the worse of the two, `rankproof.gate`", n, {"P@10": whole, "all": whole}, None)

    def attempts(self) -> Iterator[str]:
        """Twenty candidates on one query set that gain nothing: families with at least one PASS."""
        for spend, word in ((False, "whole error each"), (True, "spend_error")):
            for kind in ("dense", "sparse"):
                for n in SIZES:
                    found = family_passes(self.scores, kind, n, self.trials(4000), spend=spend)
                    want = (0.0, 0.05 + 3 * found["all"].error) if spend else None
                    yield row(f"{word}, {kind}", n, found, want)

    def first_attempts(self) -> Iterator[str]:
        """How often the first attempt passes a gain that has 80% power without spending."""
        for spend, word in ((False, "whole error"), (True, "spend_error")):
            for n in SIZES:
                yield row(word, n, first_power(self.places, n, self.trials(100), spend=spend), None)


def _allowed(n: int, found: Rate) -> tuple[float, float]:
    """What a gate may let pass of systems that are worse by its margin."""
    return 0.0, 0.065 if n == 25 else 0.055 + 3 * found.error


def row(name: str, n: int, found: ByMeasure, want: tuple[float, float] | None, last: str | None = None) -> str:
    """One line of a table: the rate by measure, of all together with its standard error, and what was wanted."""
    rates = [percent(found[measure].share) if measure in found else "" for measure in MEASURES[:-1]]
    every: Rate = found["all"]
    cells = [name, str(n), *rates, f"{percent(every.share)} ± {100 * every.error:.2f}", f"{every.trials:,}"]
    if last is not None:
        cells.append(last)
    cells.append(wanted(every.share, want))
    return f"| {' | '.join(cells)} |"


def wanted(share: float, want: tuple[float, float] | None) -> str:
    """The band asked for and whether it was met; nothing where none was."""
    if want is None:
        return ""
    low, high = want
    band = f"at most {percent(high)}" if low == 0 else f"{percent(low)} to {percent(high)}"
    return f"{band}: {'met' if low <= share <= high else 'MISSED'}"


def percent(share: float) -> str:
    """One place after the point."""
    return f"{100 * share:.1f}%"


def table(title: str, head: str, rows: Callable[[], Iterator[str]]) -> None:
    """A heading and a table, line by line as it is made."""
    began = time.perf_counter()
    columns = head.split(" | ")
    print(f"\n### {title}\n\n| {head} |\n|{'---|' * len(columns)}", flush=True)
    for line in rows():
        print(line, flush=True)
    print(f"{title}: {time.perf_counter() - began:.0f} s", file=sys.stderr)


def main() -> None:
    """Prints every table."""
    parser = argparse.ArgumentParser(description="How honest the statistics are on real scores.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the trials")
    quick = parser.parse_args().quick
    if not FOLDER.is_dir():
        sys.exit(f"No score matrices: there is no folder {FOLDER}.")
    study = Study(quick)
    rates = "AP | P@10 | RR | all | query sets"
    print(f"{len(study.places)} pairs of systems, {len(study.places) // 3} from each of three score matrices.")
    table("False alarms, labels swapped", f"method | queries | {rates} | wanted", study.swapped)
    table("False alarms, centered differences", f"method | queries | {rates} | wanted", study.centered)
    table("Coverage of 95% intervals", f"method | queries | {rates} | without an end | wanted", study.coverage)
    table("False alarms of t, pair by pair", "queries | best tenth | median | worst tenth | worst", study.pairs)
    table(
        "Families",
        f"correction, systems | queries | {rates.replace('query sets', 'families')} | wanted",
        study.families,
    )
    table("Power", f"promised | queries | {rates} | wanted", study.power)
    pilots = (
        "pilot queries | sd's interval holds it | mean power | worst tenth | plans that keep 80% | with the upper end"
    )
    table("Plans from a pilot", pilots, study.pilots)
    table("Gate", f"candidate | queries | {rates} | wanted", study.gates)
    of_families = rates.replace("query sets", "families")
    table("Twenty attempts", f"policy, changes | queries | {of_families} | wanted", study.attempts)
    table("Power of the first attempt", f"policy | queries | {rates} | wanted", study.first_attempts)


if __name__ == "__main__":
    main()
