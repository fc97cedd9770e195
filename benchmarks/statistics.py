"""How honest the statistics are on real scores: prints the Markdown tables that docs/statistics.md sums up.

    python benchmarks/statistics.py                  the long form, about half an hour on one core
    python benchmarks/statistics.py --quick          the same tables from fewer trials
    python benchmarks/statistics.py --only sparse    the tables whose titles have that word

It needs the score matrices that lie beside the project (`../shared/data/score_matrices`). Every random choice comes
from a fixed seed: the same numbers each time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from simulation.attempts import family_passes, first_power
from simulation.binary import BINARY_HEAD, binary_rows
from simulation.designs import DesignAnswers, designs
from simulation.designs import answers as designed
from simulation.families import family_error, found_in_families
from simulation.gates import gate_passes
from simulation.primary import THREE, claims
from simulation.ranks import Truth, dataset_coverage, rank_coverage
from simulation.sparse import SEED, UNCHANGED, Answers, SparseWorld, answers, sparse_worlds, value_worlds, worst_pair
from simulation.sparse import scores as sparse_scores
from simulation.studies import Honesty, honesty, passes, planned, realized, spread_covers
from simulation.units import unit_rows
from simulation.worlds import FOLDER, ByMeasure, Rate, Values, World, matrices, worlds

MEASURES = ("AP", "P@10", "RR", "all")
SIZES = (25, 50, 200)
# Sizes of the tables on sparse changes, and query sets a cell: a measure, a size, a share of unchanged topics.
SPARSE_SIZES, SPARSE_PAIRS, SPARSE_TRIALS = (10, 25, 50, 200), 200, 50
# Query sets for each measure of a design.
DESIGN_TRIALS = 2000
# Sets of units a cell.
UNIT_TRIALS = 4000
# Pairs with so many changed topics are dense.
DENSE = 0.75
# Query sets per pair of systems: as many as each method's cost allows.
TRIALS = {"t": 400, "randomization": 30, "studentized": 12, "bca": 12, "wilcoxon": 10, "sign": 50}


class Study:
    """One run of the script: the worlds, and how many trials are made in each."""

    def __init__(self, quick: bool) -> None:
        self.scores: dict[str, Values] = matrices()
        self.places: list[World] = worlds(self.scores, 100 if quick else 300)
        self.share = 0.3 if quick else 1.0
        self.kept: dict[tuple[str, str, int], Honesty] = {}
        self.matrices: dict[str, Values] = sparse_scores()

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
                    found = family_error(self.scores, correction, null, n, self.trials(many), method="t")
                    tukey = correction == "tukey" and null == "permuted"
                    want = (0.0, 0.05 + 3 * found["all"].error) if tukey else None
                    yield row(f"{correction}, {null}", n, found, want)

    def ten(self) -> Iterator[str]:
        """Ten systems of equal means and unequal spread, all 45 pairs."""
        dense = {name: values for name, values in self.matrices.items() if name != "hit"}
        for correction in ("max_t", "holm"):
            for null in ("centered", "scaled"):
                for n, many in ((10, 12), (25, 1200), (50, 1200)):
                    found = family_error(dense, correction, null, n, self.trials(many), systems=10)
                    want = (0.0, 0.05 + 3 * (0.05 * 0.95 / found["all"].trials) ** 0.5)
                    yield five_row(f"{correction}, {null}", n, found, want if correction == "max_t" else None)

    def ten_power(self) -> Iterator[str]:
        """How many of the nine differences of a better system each correction finds."""
        dense = {name: values for name, values in self.matrices.items() if name != "hit"}
        for n in (25, 50, 200):
            for name, found in found_in_families(dense, ("max_t", "holm"), n, self.trials(100)).items():
                yield five_row(name, n, found, None)

    def power(self) -> Iterator[str]:
        """The power that was promised, and how often the difference was found."""
        for promised in (0.5, 0.8, 0.95):
            for n in SIZES:
                found = realized(self.places, n, promised, self.trials(100))
                yield row(percent(promised), n, found, (promised - 0.03, promised + 0.03))

    def pilots(self) -> Iterator[str]:
        """What a plan for 80% power comes to when its standard deviation was measured on a pilot."""
        for pilot in (8, 15, 25, 50, 200):
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

    def sparse(self) -> Iterator[str]:
        """False answers of the default gate where few queries change."""
        rng = np.random.default_rng([SEED, 1])
        for unchanged in UNCHANGED:
            worlds_of = list(sparse_worlds(self.matrices, SPARSE_PAIRS, unchanged))
            for n in SPARSE_SIZES:
                found = self.answered(worlds_of, n, rng)
                most = 0.07 if unchanged < 0.6 else None
                yield sparse_row(f"{unchanged:.0%} | {n}", found, most, judged=unchanged >= 0.6 or n >= 25)

    def sparse_values(self) -> Iterator[str]:
        """False answers of `least_value`, whose bounds are Gaffke's."""
        rng = np.random.default_rng([SEED, 2])
        worlds_of = list(value_worlds(self.matrices))
        for n in SPARSE_SIZES:
            yield sparse_row(str(n), self.answered(worlds_of, n, rng, method="gaffke"), None)

    def sparse_power(self) -> Iterator[str]:
        """Power of the default gate beside that of t, on pairs of which most topics change; of hits hardly any are."""
        natural = sparse_worlds(self.matrices, SPARSE_PAIRS, 0.0)
        worlds_of = [world for world in natural if np.mean(world.changes != 0) >= DENSE and world.measure != "hit"]
        for n in SIZES:
            ours, t = (
                self.answered(worlds_of, n, np.random.default_rng([SEED, 3]), method=m) for m in ("default", "t")
            )
            for way in ("power_to_pass", "power_to_fail"):
                pairs = {name: (getattr(t[name], way).share, getattr(ours[name], way).share) for name in ours}
                shown = {name: f"{percent(a)}, {percent(b)}" for name, (a, b) in pairs.items()}
                cells = list(shown.values())
                lost = max(a - b for a, b in pairs.values())
                yield f"| {n} | {way[9:]} | {' | '.join(cells)} | {100 * lost:.1f} points |"

    def sparse_worst(self) -> Iterator[str]:
        """The pair that passes falsely most often."""
        rng = np.random.default_rng([SEED, 4])
        for unchanged in UNCHANGED:
            by_measure: dict[str, list[SparseWorld]] = {}
            for world in sparse_worlds(self.matrices, SPARSE_PAIRS, unchanged):
                by_measure.setdefault(world.measure, []).append(world)
            for n in SPARSE_SIZES:
                worst = {m: worst_pair(found, n, self.trials(1000), rng) for m, found in by_measure.items()}
                yield f"| {unchanged:.0%} | {n} | {' | '.join(percent(rate.share) for rate in worst.values())} |"

    def answered(
        self, worlds_of: list[SparseWorld], n: int, rng: np.random.Generator, method: str = "default"
    ) -> dict[str, Answers]:
        """The answers by measure, at least as many as a cell should have."""
        found: dict[str, Answers] = {}
        count = {m: sum(world.measure == m for world in worlds_of) for m in self.matrices}
        for world in worlds_of:
            trials = self.trials(-(-SPARSE_PAIRS * SPARSE_TRIALS // count[world.measure]))
            found[world.measure] = found.get(world.measure, Answers()) + answers(world, n, trials, rng, method)
        return found

    def primary(self) -> Iterator[str]:
        """False claims where the first measure decides and the others wait for it; each in turn is the first."""
        for systems in (2, 4, 10):
            for n in SIZES[:2]:
                cells = []
                for truth in ("equal", "primary", "half") if systems > 2 else ("equal", "primary"):
                    found = [
                        claims(self.matrices, first, truth, systems, n, self.trials(700), seed=at)
                        for at, first in enumerate(THREE)
                    ]
                    of_first, of_any = (sum((one[side] for one in found), Rate()) for side in (0, 1))
                    cells.append(f"{percent(of_first.share)}, {percent(of_any.share)}")
                yield f"| {systems} | {n} | {' | '.join(cells)} |"

    def designs(self) -> Iterator[str]:
        """The default where queries have weights, strata or clusters; on pairs that mostly change."""
        natural = sparse_worlds(self.matrices, SPARSE_PAIRS, 0.0)
        worlds_of = [world for world in natural if np.mean(world.changes != 0) >= DENSE and world.measure != "hit"]
        measures = [name for name in self.matrices if name != "hit"]
        for number, design in enumerate(designs()):
            rng = np.random.default_rng([SEED, 5, number])
            of = {name: [world for world in worlds_of if world.measure == name] for name in measures}
            found = {name: designed(those, design, self.trials(DESIGN_TRIALS), rng) for name, those in of.items()}
            cells = [
                f"{percent(a.passes.share)}, {percent(a.fails.share)}, {percent(a.covers.share)}"
                for a in found.values()
            ]
            whole = sum(found.values(), DesignAnswers())
            yield f"| {design.name} | {' | '.join(cells)} | {percent(whole.covers.share)} |"

    def ranks(self) -> Iterator[str]:
        """All rank intervals of a leaderboard at once, on one dataset and over three."""
        truths: tuple[Truth, ...] = ("all equal", "half equal", "as they are")
        for systems in (5, 10):
            for n in (12, 25, 50):
                found = [rank_coverage(self.scores, truth, systems, n, self.trials(400))["all"] for truth in truths]
                yield f"| {systems} | {n} | {' | '.join(share_of(rate) for rate in found)} |"
        for n in (14, 50):
            over = [dataset_coverage(self.scores, truth, 5, n, self.trials(600)) for truth in truths]
            yield f"| 5 | {round(1.5 * n)}, {n} and {n // 2} | {' | '.join(share_of(rate) for rate in over)} |"

    def units(self, part: str) -> Iterator[str]:
        """Clusters, repeats, weights or datasets of known distributions, by the default."""
        yield from unit_rows(part, self.trials(UNIT_TRIALS), SEED)

    def attempts(self) -> Iterator[str]:
        """Twenty candidates on one query set that gain nothing: families with at least one PASS."""
        for spend, word in ((False, "whole error each"), (True, "spend_error")):
            for kind in ("dense", "sparse"):
                for n in SIZES:
                    found = family_passes(self.scores, kind, n, self.trials(2000), spend=spend)
                    want = (0.0, 0.05 + 3 * found["all"].error) if spend else None
                    yield row(f"{word}, {kind}", n, found, want)

    def first_attempts(self) -> Iterator[str]:
        """How often the first attempt passes a gain that has 80% power without spending."""
        for spend, word in ((False, "whole error"), (True, "spend_error")):
            for n in SIZES:
                yield row(word, n, first_power(self.places, n, self.trials(100), spend=spend), None)


def sparse_row(first: str, found: dict[str, Answers], most: float | None, *, judged: bool = True) -> str:
    """False passes and false fails by measure, the lowest coverage, the range of power, and whether they hold."""
    cells = [f"{percent(a.passes.share)}, {percent(a.fails.share)}" for a in found.values()]
    rates = [rate for a in found.values() for rate in (a.passes, a.fails)]
    error = max((0.05 * 0.95 / rate.trials) ** 0.5 for rate in rates)
    bar = most or 0.05 + 3 * error
    kept = all(rate.share <= bar for rate in rates)
    covers = min(a.covers.share for a in found.values())
    powers = [a.power_to_pass.share for a in found.values()]
    power = f"{100 * min(powers):.0f} to {100 * max(powers):.0f}%"
    want = f"at most {percent(bar)}: {'met' if kept else 'MISSED'}" if judged else ""
    return f"| {first} | {' | '.join(cells)} | {percent(covers)} | {power} | {want} |"


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


def five_row(name: str, n: int, found: ByMeasure, want: tuple[float, float] | None) -> str:
    """One line of a table with every measure of the matrices but hits."""
    every = found["all"]
    rates = [percent(rate.share) for measure, rate in found.items() if measure != "all"]
    cells = [name, str(n), *rates, f"{percent(every.share)} ± {100 * every.error:.2f}", f"{every.trials:,}"]
    return f"| {' | '.join([*cells, wanted(every.share, want)])} |"


def wanted(share: float, want: tuple[float, float] | None) -> str:
    """The band asked for and whether it was met; nothing where none was."""
    if want is None:
        return ""
    low, high = want
    band = f"at most {percent(high)}" if low == 0 else f"{percent(low)} to {percent(high)}"
    return f"{band}: {'met' if low <= share <= high else 'MISSED'}"


def share_of(rate: Rate) -> str:
    """A share with its standard error."""
    return f"{percent(rate.share)} ± {100 * rate.error:.1f}"


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
    """Prints every table, or those that are asked for."""
    parser = argparse.ArgumentParser(description="How honest the statistics are on real scores.")
    parser.add_argument("--quick", action="store_true", help="fewer trials")
    parser.add_argument("--only", default="", help="the tables whose titles have this word")
    given = parser.parse_args()
    if not FOLDER.is_dir():
        sys.exit(f"No score matrices: there is no folder {FOLDER}.")
    study = Study(given.quick)
    print(f"{len(study.places)} pairs of systems, {len(study.places) // 3} from each of three score matrices.")
    for title, head, rows in tables(study):
        if given.only.casefold() in title.casefold():
            table(title, head, rows)


def tables(study: Study) -> Iterator[tuple[str, str, Callable[[], Iterator[str]]]]:
    """Title, columns and rows of each."""
    rates = "AP | P@10 | RR | all | query sets"
    yield "False alarms, labels swapped", f"method | queries | {rates} | wanted", study.swapped
    yield "False alarms, centered differences", f"method | queries | {rates} | wanted", study.centered
    yield "Coverage of 95% intervals", f"method | queries | {rates} | without an end | wanted", study.coverage
    yield "False alarms of t, pair by pair", "queries | best tenth | median | worst tenth | worst", study.pairs
    families = f"correction, systems | queries | {rates.replace('query sets', 'families')} | wanted"
    yield "Families", families, study.families
    five = " | ".join(name for name in study.matrices if name != "hit")
    yield "Families of ten systems", f"correction, systems | queries | {five} | all | families | wanted", study.ten
    yield "Power in families of ten", f"correction | queries | {five} | all | differences | wanted", study.ten_power
    yield "Power", f"promised | queries | {rates} | wanted", study.power
    pilots = (
        "pilot queries | sd's interval holds it | mean power | worst tenth | plans that keep 80% | with the upper end"
    )
    yield "Plans from a pilot", pilots, study.pilots
    yield "Gate", f"candidate | queries | {rates} | wanted", study.gates
    six = " | ".join(study.matrices)
    held = f"{six} | least coverage | power to pass | wanted"
    yield "Sparse changes: false PASS, false FAIL", f"unchanged | queries | {held}", study.sparse
    yield "Sparse: least_value", f"queries | {held}", study.sparse_values
    yield (
        "Sparse: power of t, of the default, on dense pairs",
        f"queries | to | {six.removesuffix(' | hit')} | lost at most",
        study.sparse_power,
    )
    yield "Sparse: the worst pair of each measure", f"unchanged | queries | {six}", study.sparse_worst
    truths = "all equal: primary, any | primary differ | half differ"
    yield "Primary and secondary: false claims", f"systems | queries | {truths}", study.primary
    yield "Designs: false PASS, false FAIL, coverage", f"design | {five} | all, coverage", study.designs
    yield "Ranks: all intervals hold", "systems | queries | all equal | half equal | as they are", study.ranks
    yield "Scores of 0 and 1, all outcomes", BINARY_HEAD, binary_rows
    for part in ("clusters", "repeats", "weights", "datasets"):
        kinds = "normal | skewed | 0/1" + ("" if part == "repeats" else " | sparse 0/1")
        yield f"Units: {part}; coverage, one-sided error", f"units | {kinds}", partial(study.units, part)
    of_families = rates.replace("query sets", "families")
    yield "Twenty attempts", f"policy, changes | queries | {of_families} | wanted", study.attempts
    yield "Power of the first attempt", f"policy | queries | {rates} | wanted", study.first_attempts


if __name__ == "__main__":
    main()
