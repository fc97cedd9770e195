"""How far intervals of model judges can be trusted: prints the Markdown tables that docs/model-judges.md sums up.

    python benchmarks/judging.py            the long form, about half an hour on one core
    python benchmarks/judging.py --quick    the same tables from a tenth of the draws

It needs the judgments that lie beside the project (`../shared/data/dl20`). Every random choice comes from a fixed seed:
the same numbers each time.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
from simulation.judging import FOLDER, Covered, World, agreement, corrected, world

from rankproof.judging.calibrate import calibrate
from rankproof.judging.correction.frame import form_of, variants_of
from rankproof.judging.correction.plan import importance_of, probabilities
from rankproof.proving.agreement_records import AgreementFigure, Found

MODELS = ("gpt-4o_umbrela", "gpt-4o_binary", "llama3.2_binary")
MEASURES = ("P@10", "P(rel=2)@10", "DCG@10", "nDCG@10")
NUMBER = 300
DRAWS = {"P@10": 2000, "P(rel=2)@10": 2000, "DCG@10": 2000, "nDCG@10": 1000}


class Study:
    """One run of the script: the worlds, and how many draws are made in each."""

    def __init__(self, quick: bool) -> None:
        self.share = 0.1 if quick else 1.0
        self.worlds: dict[str, World] = {model: world(model) for model in MODELS}

    def draws(self, measure: str) -> int:
        """So many in the long form, fewer in the quick one."""
        return round(DRAWS[measure] * self.share)

    # ---- one table each ----------------------------------------------------------------------------------------

    def judges(self) -> Iterator[str]:
        """Three sets of model grades against people's, all pairs that both graded."""
        yield "| judge | pairs | kappa | linear | quadratic | alpha, ordinal | same grade | tau of nDCG@10 |"
        yield "|---|---|---|---|---|---|---|---|"
        place = self.worlds[MODELS[0]]
        runs = {path.stem: str(path) for path in sorted((FOLDER / "runs").iterdir())}
        found = calibrate(place.human, {name: [w.model] for name, w in self.worlds.items()}, runs=runs)
        for judge in found.judges:
            a = judge.agreement
            cells = [a.kappa["none"], a.kappa["linear"], a.kappa["quadratic"], a.alpha["ordinal"], a.share]
            told = " | ".join(map(shown, [*cells, judge.orders[0].tau]))
            yield f"| {judge.name} | {a.pairs:,} | {told} |"

    def agreement(self) -> Iterator[str]:
        """95% intervals of kappa: coverage with queries left out one by one, and with pairs taken for independent."""
        yield "| judge | weights | queries | pairs of each | by query | by pair |"
        yield "|---|---|---|---|---|---|"
        trials = round(1000 * self.share)
        for model in MODELS[:2]:
            for weights in ("none", "quadratic"):
                for queries, pairs in ((10, 30), (20, 15), (54, 6), (54, 200), (200, 5)):
                    found = agreement(self.worlds[model], queries, pairs, trials, weights=weights)
                    yield (
                        f"| {model} | {weights} | {queries} | {pairs} | {found.by_query:.1%} | {found.by_pair:.1%} |"
                    )

    def corrected(self) -> Iterator[str]:
        """95% intervals of runs from 300 human grades, plainly drawn, and all model grades."""
        yield HEAD
        yield RULE
        for model in MODELS:
            for measure in MEASURES:
                yield from rows(model, measure, corrected(self.worlds[model], measure, NUMBER, self.draws(measure)))

    def differences(self) -> Iterator[str]:
        """The same for the difference of each run to BM25."""
        yield HEAD
        yield RULE
        for measure in MEASURES:
            draws = self.draws(measure)
            yield from rows(MODELS[0], measure, corrected(self.worlds[MODELS[0]], measure, NUMBER, draws, compare=True))

    def planned(self) -> Iterator[str]:
        """Pairs drawn by a plan: coverage, and mean width over that of a plain draw of as many."""
        yield "| measure | what | plan | least coverage | mean coverage | greatest | width over plain draw |"
        yield "|---|---|---|---|---|---|---|"
        place = self.worlds[MODELS[0]]
        anchor = pilot(place)
        for measure in ("P@10", "DCG@10", "nDCG@10"):
            form = form_of(place.frame, variants_of(measure)[0])
            # Values over an ideal are drawn plainly: there is nothing to compare.
            for compare in (True,) if form.over_ideal else (False, True):
                draws = self.draws(measure)
                plain = corrected(place, measure, NUMBER, draws, compare=compare)
                for name, known in (("influence", None), ("influence and an anchor of 150", anchor)):
                    p = probabilities(importance_of(place.frame, form, place.model, known, compare)[0], NUMBER)
                    found = corrected(place, measure, NUMBER, draws, compare=compare, probabilities=p)
                    covers = [one.covers for one in found]
                    ratio = np.mean([a.width / b.width for a, b in zip(found, plain, strict=True)])
                    what = "difference to BM25" if compare else "value"
                    shares = " | ".join(f"{share:.1%}" for share in (min(covers), np.mean(covers), max(covers)))
                    yield f"| {measure} | {what} | {name} | {shares} | {ratio:.2f} |"


HEAD = "| judge | measure | run | full human | naive | covers | width | human alone covers | width | bias |"
RULE = "|---|---|---|---|---|---|---|---|---|---|"


def rows(model: str, measure: str, found: list[Covered]) -> Iterator[str]:
    """One line for each run, and one for all."""
    for one in found:
        first = f"| {model} | {measure} | {one.run} | {one.truth:.4f} | {one.naive:.4f} | {one.covers:.1%} "
        yield f"{first}| {one.width:.4f} | {one.human_covers:.1%} | {one.human_width:.4f} | {one.bias:+.4f} |"
    mean = np.mean([[one.covers, one.human_covers, one.width / one.human_width] for one in found], axis=0)
    ratio = f"**{mean[2]:.3f} of human alone**"
    yield f"| {model} | {measure} | **all** | | | **{mean[0]:.1%}** | {ratio} | {mean[1]:.1%} | | |"


def pilot(place: World) -> dict[str, dict[str, int]]:
    """150 human grades of pairs outside of the frame: what an earlier round left."""
    frame = set(place.frame.pairs)
    rest = [(q, d) for q, docs in place.human.items() for d in docs if (q, d) not in frame and d in place.model[q]]
    found: dict[str, dict[str, int]] = {}
    for at in np.random.default_rng(7).permutation(len(rest))[:150].tolist():
        query, doc = rest[at]
        found.setdefault(query, {})[doc] = place.human[query][doc]
    return found


def shown(found: Found) -> str:
    """A number with its interval."""
    if isinstance(found, AgreementFigure):
        return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
    return f"{found.value:.3f} (none)" if found.value is not None else "none"


def main() -> None:
    """Prints every table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the draws")
    parser.add_argument("--only", help="one table: judges, agreement, corrected, differences or planned")
    said = parser.parse_args()
    if not FOLDER.exists():
        sys.exit(f"{FOLDER} is not there: the study needs its judgments.")
    study = Study(said.quick)
    for table in (study.judges, study.agreement, study.corrected, study.differences, study.planned):
        if said.only and table.__name__ != said.only:
            continue
        began = time.perf_counter()
        print(f"\n## {table.__doc__}\n")
        for line in table():
            print(line, flush=True)
        print(f"\n({time.perf_counter() - began:.0f} s)", file=sys.stderr)


if __name__ == "__main__":
    main()
