"""The dialect `trec_eval_9` against trec_eval 9.0.4 itself: every line of `-m all_trec -q`, on real and random runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.against.trec_eval_program import CannotStart, lines, program
from tests.effort import examples
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared.root import cli


@pytest.fixture(scope="module", autouse=True)
def trec_eval() -> str:
    try:
        return program()
    except CannotStart as reason:
        pytest.skip(f"trec_eval 9 is not here: {reason}")


def ours(*arguments: str, dialect: str = "trec_eval_9") -> list[str]:
    told = CliRunner().invoke(cli, ["evaluate", "--dialect", dialect, "--format", "trec", *arguments])
    assert told.exit_code == 0, told.output
    return told.stdout.splitlines()


def differing(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of lines that are not the same; theirs first."""
    theirs, mine = lines(*arguments), ours(*arguments)
    assert [line.split("\t")[:2] for line in theirs] == [line.split("\t")[:2] for line in mine]
    return [pair for pair in zip(theirs, mine, strict=True) if pair[0] != pair[1]]


ALL = ("-q", "-m", "all_trec", "-m", "yaap")
REAL = {
    "trec_eval": ("trec_eval/qrels.test", "trec_eval/results.test"),
    "a query missing": ("trec_eval/qrels.test", "trec_eval/results.trunc"),
    "levels": ("trec_eval/qrels.rel_level", "trec_eval/results.test"),
    "comments": ("trec_eval/qrels.comment.test", "trec_eval/results.comment.test"),
    "one query": ("trec_eval/qrels-302.test", "trec_eval/results-302.test"),
    "scifact dense": ("scifact/qrels.trec", "scifact/dense.run"),
    "scifact sparse": ("scifact/qrels.trec", "scifact/sparse.run"),
} | {
    name: ("dl20/qrels.trec", f"dl20/runs/{name}.run")
    for name in (
        "BM25", "BM25_RM3", "BM25_then_gpt35_depth100", "BM25_then_vicuna_depth20", "D_BERT_KD_TASB", "REP_LLAMA",
        "SPLADE_P_P_ENSEMBLE_DISTIL",
    )
}  # fmt: skip


@needs_shared_data
@pytest.mark.parametrize("options", ["", "-c", "-l2", "-c -l2", "-M10", "-c -l2 -M100"])
@pytest.mark.parametrize("pair", REAL)
def test_real_runs_line_for_line(pair: str, options: str) -> None:
    files = [str(SHARED / file) for file in REAL[pair]]
    assert differing([*ALL, *options.split(), *files]) == []


@needs_shared_data
@pytest.mark.parametrize("options", ["-J", "-J -M20", "-c -J -M10 -l2"])
@pytest.mark.parametrize("pair", ["trec_eval", "a query missing", "scifact sparse", "BM25", "REP_LLAMA"])
def test_judged_documents_only_but_for_nothing_over_nothing(pair: str, options: str) -> None:
    """A ranking that `-J` leaves empty makes trec_eval divide 0 by 0; the page says that it is 0 here."""
    files = [str(SHARED / file) for file in REAL[pair]]
    for theirs, mine in differing([*ALL, *options.split(), *files]):
        assert theirs.startswith(("iprec_at_recall", "11pt_avg"))
        assert "nan" in theirs
        assert "nan" not in mine


def write_collection(folder: Path, rng: random.Random) -> tuple[str, str]:
    """Qrels and a run with ties, close scores, negative grades, queries that only one of them has, any letters."""
    depth = rng.choice([3, 20, 100])
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for number in range(rng.choice([1, 8, 40, 160])):
            query = f"{number}" if rng.random() < 0.7 else f"q-{number}é"
            docs = sorted({f"d{rng.randrange(300)}" if rng.random() < 0.9 else f"文{n}" for n in range(depth)})
            if rng.random() < 0.95:
                for doc in rng.sample(docs, rng.randint(1, len(docs))):
                    qrels.write(f"{query} 0 {doc} {rng.choice([-1, 0, 0, 0, 1, 1, 2, 3])}\n")
                # trec_eval reads memory it never wrote where a query has no grade from 0 upward.
                qrels.write(f"{query} 0 judged 0\n")
            if rng.random() < 0.9 or not number:
                ranked = [*rng.sample(docs, rng.randint(1, len(docs))), "unjudged"]
                for rank, doc in enumerate(ranked, 1):
                    score = rng.choice([10 * rng.random(), rng.randrange(5), 1 + 1e-7 * rng.random()])
                    run.write(f"{query} Q0 {doc} {rank} {score!r} tag\n")
        # Not one query may be in both by chance.
        qrels.write("both 0 a 1\n")
        run.write("both Q0 a 1 1.0 tag\n")
    return str(folder / "qrels"), str(folder / "run")


@pytest.mark.parametrize("seed", range(examples(30)))
def test_random_runs_line_for_line(seed: int, tmp_path: Path) -> None:
    files = write_collection(tmp_path, random.Random(seed))
    for options in ("", "-c", "-c -l2", "-M7"):
        assert differing([*ALL, *options.split(), *files]) == [], options


# First relevant documents at these ranks: the mean of recip_rank is 0.39375, just between two fourth digits. Added one
# after the other as 64-bit floats it is a little more.
RANKS = (4, 2, 4, 1, 2, 5, 5, 4)


def test_means_are_added_one_query_after_the_other(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{query} 0 d{rank} 1\n" for query, rank in enumerate(RANKS)))
    rows = (f"{query} Q0 d{rank} {rank} {10 - rank} tag\n" for query in range(len(RANKS)) for rank in range(1, 6))
    run.write_text("".join(rows))
    arguments = ("-m", "recip_rank", str(qrels), str(run))
    assert lines(*arguments) == ["recip_rank            \tall\t0.3938"]
    assert ours(*arguments) == ours(*arguments, dialect="trec_eval") == lines(*arguments)
    assert ours(*arguments, dialect="rankproof") == ["recip_rank            \tall\t0.3937"]
