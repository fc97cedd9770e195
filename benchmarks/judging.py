"""How far intervals of model judges can be trusted: prints the Markdown tables that docs/model-judges.md sums up.

    python benchmarks/judging.py            the long form, about forty minutes on one core
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
from simulation.judging import FOLDER, PLANTED, Covered, World, agreement, corrected, favored, planted, world

from rankproof.judging.calibrate import calibrate
from rankproof.judging.correction.frame import form_of, variants_of
from rankproof.judging.correction.plan import importance_of, probabilities
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure
from rankproof.proving.judge_bias import biases

MODELS = ("gpt-4o_umbrela", "gpt-4o_binary", "llama3.2_binary")
# nDCG@10 is estimated from whole queries, and without the model's grades: one model says as much as three.
MEASURES = ("P@10", "DCG@10", "nDCG@10")
# Runs that a language model ranked or encoded, and the others.
GROUPS = {"language models": ("BM25_then_gpt35_depth100", "BM25_then_vicuna_depth20", "REP_LLAMA")}
NUMBERS = (200, 300)
NUMBER = NUMBERS[-1]
TARGETS = (0.05, 0.5, 0.97)
DRAWS = 1000


class Study:
    """One run of the script: the worlds, and how many draws are made in each."""

    def __init__(self, quick: bool) -> None:
        self.draws = DRAWS // 10 if quick else DRAWS
        self.worlds: dict[str, World] = {model: world(model) for model in MODELS}

    def cells(self, measures: tuple[str, ...] = MEASURES) -> Iterator[tuple[str, str, int]]:
        """Every judge, measure and number of human grades."""
        for measure in measures:
            for model in MODELS[:1] if over_ideal(measure) else MODELS:
                for number in NUMBERS:
                    yield model, measure, number

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
        trials = self.draws
        for model in MODELS[:2]:
            for weights in ("none", "quadratic"):
                for queries, pairs in ((10, 30), (20, 15), (54, 6), (54, 200), (200, 5)):
                    found = agreement(self.worlds[model], queries, pairs, trials, weights=weights)
                    yield (
                        f"| {model} | {weights} | {queries} | {pairs} | {found.by_query:.1%} | {found.by_pair:.1%} |"
                    )

    def corrected(self) -> Iterator[str]:
        """95% intervals of seven runs from human grades drawn plainly (nDCG: whole queries), least and greatest"""
        yield from self._real(compare=False)

    def differences(self) -> Iterator[str]:
        """The same for the difference of each run to BM25"""
        yield from self._real(compare=True)

    def _real(self, compare: bool) -> Iterator[str]:
        yield HEAD
        yield RULE
        for model, measure, number in self.cells():
            found = corrected(
                self.worlds[model], measure, number, self.draws, compare=compare, whole_queries=over_ideal(measure)
            )
            yield line(model, measure, number, "", found)

    def planted(self) -> Iterator[str]:
        """A run planted at a true value, beside BM25: its value, and its difference to BM25"""
        yield from self._planted(crowd=False)

    def crowd(self) -> Iterator[str]:
        """The same beside all seven runs, where fewer of the human grades are of the planted run"""
        yield from self._planted(crowd=True)

    def _planted(self, crowd: bool) -> Iterator[str]:
        yield HEAD
        yield RULE
        measures = ("P@10", "DCG@10") if crowd else ("P@10", "DCG@10", "nDCG@10")
        for target in TARGETS:
            for model, measure, number in self.cells(measures):
                place = planted(model, measure, target, crowd=crowd)
                for compare in (False, True):
                    found = corrected(
                        place, measure, number, self.draws, compare=compare, whole_queries=over_ideal(measure),
                        only=PLANTED,
                    )  # fmt: skip
                    yield line(model, measure, number, f"{target}{' - BM25' if compare else ''}", found)

    def over_queries(self) -> Iterator[str]:
        """Intervals over queries: 54 queries drawn with replacement, then human grades; real runs and a planted one"""
        yield "| measure | human grades | what | over queries covers | given the queries covers |"
        yield "|---|---|---|---|---|"
        for measure in ("P@10", "DCG@10", "nDCG@10"):
            places = {"seven runs": self.worlds[MODELS[0]], "0.97": planted(MODELS[0], measure, 0.97)}
            for number in NUMBERS:
                for name, place in places.items():
                    for compare in (False, True):
                        found = corrected(
                            place, measure, number, self.draws // 2, compare=compare,
                            whole_queries=over_ideal(measure), resample=True,
                            only=PLANTED if name == "0.97" else None,
                        )  # fmt: skip
                        what = f"{name}{' - BM25' if compare else ''}"
                        over = spread([one.over_queries for one in found])
                        yield f"| {measure} | {number} | {what} | {over} | {spread([one.covers for one in found])} |"

    def favorites(self) -> Iterator[str]:
        """Whom a judge favors: by all grades; coverage of 95% intervals of a sample; false alarms if neutral"""
        yield "| judge | group | at equal grades | p, Holm | human grades | covers | called at 5% | neutral: called |"
        yield "|---|---|---|---|---|---|---|---|"
        for model, place in self.worlds.items():
            groups = {name: (name,) for name in place.frame.runs} | GROUPS
            for one in biases(place.human, place.model, place.runs, groups, 10, 0.95):
                whole = f"| {model} | {one.name} | {shown(one.at_equal_grades)} | {one.p_adjusted:.3f} |"
                if one.name not in ("BM25", *GROUPS):
                    yield f"{whole} | | | |"
                    continue
                for number in NUMBERS:
                    some = favored(place, one.runs, number, self.draws // 2)
                    none = favored(place, one.runs, number, self.draws // 2, neutral=True)
                    yield f"{whole} {number} | {some.covers:.1%} | {some.called:.1%} | {none.called:.1%} |"

    def planned(self) -> Iterator[str]:
        """Pairs drawn by a plan: coverage, and mean width over that of a plain draw of as many."""
        yield "| measure | what | plan | least coverage | mean coverage | greatest | width over plain draw |"
        yield "|---|---|---|---|---|---|---|"
        place = self.worlds[MODELS[0]]
        anchor = pilot(place)
        for measure in ("P@10", "DCG@10"):
            form = form_of(place.frame, variants_of(measure)[0])
            for compare in (False, True):
                plain = corrected(place, measure, NUMBER, self.draws, compare=compare)
                for name, known in (("influence", None), ("influence and an anchor of 150", anchor)):
                    p = probabilities(importance_of(place.frame, form, place.model, known, compare)[0], NUMBER)
                    found = corrected(place, measure, NUMBER, self.draws, compare=compare, probabilities=p)
                    covers = [one.covers for one in found]
                    ratio = np.mean([a.width / b.width for a, b in zip(found, plain, strict=True)])
                    what = "difference to BM25" if compare else "value"
                    shares = " | ".join(f"{share:.1%}" for share in (min(covers), np.mean(covers), max(covers)))
                    yield f"| {measure} | {what} | {name} | {shares} | {ratio:.2f} |"


HEAD = "| judge | measure | human grades | run | covers | people alone covers | width | of people alone | bias |"
RULE = "|---|---|---|---|---|---|---|---|---|"


def over_ideal(measure: str) -> bool:
    """Whether whole queries are drawn for it."""
    return measure.startswith("nDCG")


def spread(shares: list[float]) -> str:
    """The least and the greatest."""
    low, high = min(shares), max(shares)
    return f"{low:.1%}" if len(shares) == 1 else f"{low:.1%} to {high:.1%}"


def line(model: str, measure: str, number: int, what: str, found: list[Covered]) -> str:
    """Coverage of the runs, least and greatest, the mean width and the greatest bias."""
    who = "any" if over_ideal(measure) else model
    width = float(np.mean([one.width for one in found]))
    ratio = float(np.mean([one.width / one.human_width for one in found]))
    bias = max((one.bias for one in found), key=abs)
    silent = f" ({min(one.answered for one in found):.0%} answered)" if any(one.answered < 1 for one in found) else ""
    return (
        f"| {who} | {measure} | {number} | {what or 'seven'} | {spread([one.covers for one in found])}{silent} "
        f"| {spread([one.human_covers for one in found])} | {width:.3f} | {ratio:.2f} | {bias:+.4f} |"
    )


def pilot(place: World) -> dict[str, dict[str, int]]:
    """150 human grades of pairs outside of the frame: what an earlier round left."""
    frame = set(place.frame.pairs)
    rest = [(q, d) for q, docs in place.human.items() for d in docs if (q, d) not in frame and d in place.model[q]]
    found: dict[str, dict[str, int]] = {}
    for at in np.random.default_rng(7).permutation(len(rest))[:150].tolist():
        query, doc = rest[at]
        found.setdefault(query, {})[doc] = place.human[query][doc]
    return found


def shown(found: AgreementAnswer) -> str:
    """A number with its interval."""
    if isinstance(found, AgreementFigure):
        return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
    return f"{found.value:.3f} (none)" if found.value is not None else "none"


def main() -> None:
    """Prints every table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the draws")
    parser.add_argument("--only", help="one table, such as planted")
    said = parser.parse_args()
    if not FOLDER.exists():
        sys.exit(f"{FOLDER} is not there: the study needs its judgments.")
    study = Study(said.quick)
    for table in (
        study.judges, study.agreement, study.corrected, study.differences, study.planted, study.crowd,
        study.over_queries, study.favorites, study.planned,
    ):  # fmt: skip
        if said.only and table.__name__ != said.only:
            continue
        began = time.perf_counter()
        print(f"\n## {table.__doc__}\n")
        for line in table():
            print(line, flush=True)
        print(f"\n({time.perf_counter() - began:.0f} s)", file=sys.stderr)


if __name__ == "__main__":
    main()
