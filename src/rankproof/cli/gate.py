"""Decide whether a change may ship: PASS, FAIL or UNDECIDED."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared import scores as _scores
from rankproof.cli.shared.groups import begin, with_init
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import ShelfName, refuse_outputs, refuse_second_stdin
from rankproof.cli.shared.output import chosen_forms, verdict_options
from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankproof.proving.verdict import Verdict

# Where GitHub's runner wants the Markdown of a job summary appended.
SUMMARY = "GITHUB_STEP_SUMMARY"
STARTER = "rankproof.toml"


@click.command("init")
@click.argument("path", type=click.Path(), default=STARTER)
def init(path: str) -> None:
    """Write a commented policy to PATH, to begin with. A file that is there already is left alone.

    \b
    rankproof gate init
    rankproof gate init policies/search.toml
    """
    from rankproof.proving.starter_policy import starter_policy

    begin(path, starter_policy(), f"Put your files and targets into it, then: rankproof gate {path}")


@click.command(
    "gate", cls=long_help("candidate", "baseline", "qrels", "form", "as_json", "output", "html", base=with_init(init))
)
@click.argument("policy", type=click.Path())
@click.argument("files", metavar="[[BASELINE] CANDIDATE]", nargs=-1, type=click.Path())
@click.option("--candidate", type=click.Path(), help="The run that would ship, instead of the policy's.")
@click.option("--baseline", type=click.Path(), help="The run it is compared with, instead of the policy's.")
@click.option("--qrels", type=click.Path(), help="The judgments, instead of the policy's.")
@click.option("--topics", type=click.Path(), help="The queries' texts, instead of the policy's.")
@click.option("--queries", type=click.Path(), help="Columns of the queries for segments, instead of the policy's.")
@click.option("--latency", type=click.Path(), help="The candidate's latency file, instead of the policy's.")
@click.option("--confidence", type=float, help="The confidence of one-sided bounds, instead of the policy's.")
@click.option("--significance", type=ShelfName("significance"), help="How bounds are made, instead of the policy's.")
@click.option("--seed", type=click.IntRange(0), help="Seed of the random generator, instead of the policy's.")
@_scores.scores
@click.option("--saved", is_flag=True, help="The files are reports kept by `rankproof evaluate --save`, without QRELS.")
@verdict_options
@click.option("--manifest", type=click.Path(), help="Write what was measured, and how, for `rankproof verify`.")
@click.option(
    "--github",
    is_flag=True,
    help=f"Print annotations after the answer, and append the Markdown report to ${SUMMARY} where that is set.",
)
def command(
    policy: str,
    files: Sequence[str],
    form: str | None,
    as_json: bool,
    output: str | None,
    junit: str | None,
    markdown: str | None,
    html: str | None,
    full: bool,
    manifest: str | None,
    github: bool,
    **instead: Any,
) -> int:
    """Judge a candidate by the rules of POLICY, a TOML file. `rankproof gate init` writes one to begin with.

    With --scores or --saved, the tables or reports may stand after POLICY, the baseline's first.

    Exit status: 0 PASS, 1 FAIL (or invalid input), 2 wrong usage, 3 UNDECIDED.

    \b
    rankproof gate init policy.toml
    rankproof gate policy.toml
    rankproof gate policy.toml --candidate new.run --junit gate.xml --html gate.html
    rankproof gate policy.toml --scores old.csv new.csv --lower cost
    """
    forms = chosen_forms(form, as_json, output, full, junit=junit, markdown=markdown, html=html)
    if github and output is None and forms.form not in ("table", "github"):
        raise UsageError(f"--github prints beside the answer, which would not be {forms.form} then. Add -o FILE.")
    instead = given_instead(files, instead)
    refuse_second_stdin([instead[name] for name in ("candidate", "baseline", "qrels", "topics", "queries", "latency")])
    from rankproof.proving.gate import gate
    from rankproof.proving.policy import read_policy

    began = time.perf_counter()
    read = read_policy(policy, **instead)
    refuse_outputs(manifest, forms.output, *forms.files.values(), read=read.files)
    verdict = gate(read)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    if manifest is not None:
        _keep(manifest, verdict, observed)
    forms.give(verdict, observed, manifest=manifest)
    if github:
        _tell_github(verdict, observed, annotate=forms.form != "github" or output is not None)
    return verdict.exit_status


def given_instead(files: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """What `gate` takes beside the policy: tables or reports after it are baseline and candidate."""
    instead = {name: value for name, value in given.items() if name not in (*_scores.OF_SCORES, "as_scores", "dataset")}
    as_scores, values = given["as_scores"], ("--scores" if given["as_scores"] else "--saved")
    if not as_scores:
        _scores.refuse_other_input(False)
    elif given["saved"]:
        raise UsageError("--scores and --saved: the files are tables of scores or kept reports. Leave one of them out.")
    if files and not (as_scores or given["saved"]):
        raise UsageError(
            f"{files[0]}: files after the policy are tables of scores (--scores) or kept reports (--saved). Runs are "
            "given as --candidate RUN and --baseline RUN."
        )
    if len(files) > 2:
        raise UsageError(f"{values} takes a baseline and a candidate, or a candidate alone; got {len(files)} files.")
    if as_scores:
        chosen = _scores.score_choices(given)
        scores = {key: chosen[key] for key in ("unit", "system", "repeats", "format") if chosen[key]}
        scores |= {"lower": list(chosen["lower_is_better"])} if chosen["lower_is_better"] else {}
        scores |= {"range": chosen["ranges"]} if chosen["ranges"] else {}
        scores |= {"missing": given["missing"]} if given["missing"] else {}
        instead["scores"] = scores
        if given["system"] is not None:  # the column's values are what baseline and candidate name
            scores |= {side: instead.pop(side) for side in ("baseline", "candidate") if instead[side] is not None}
    twice = [side for side in ("baseline", "candidate")[-len(files) :] if files and instead.get(side) is not None]
    if twice:
        raise UsageError(f"--{twice[0]} and a file after the policy both name the {twice[0]}. Keep one of them.")
    sides = ("baseline", "candidate")[2 - len(files) :]
    return {"baseline": None, "candidate": None, **instead, **dict(zip(sides, files, strict=True))}


def _keep(path: str, verdict: Verdict, observed: Mapping[str, Any]) -> None:
    """Writes the manifest of what the verdict rests on."""
    from rankproof.kernel.documents import now
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.measuring.report import write_manifest

    if not verdict.manifest:
        raise UsageError("Nothing was measured, so there is no manifest: no rule of the policy names a measure.")
    write_manifest(path, ExperimentManifest.from_dict({**verdict.manifest, "observed": {"time": now(), **observed}}))


def _tell_github(verdict: Verdict, observed: Mapping[str, Any], annotate: bool) -> None:
    """Annotations on standard output, where the runner looks for them; the report in the job summary."""
    from rankproof.kernel import shelf

    if annotate:
        _output.say(shelf.find("reports", "github").verdict(verdict, observed=observed))
    path = os.environ.get(SUMMARY)
    if not path:
        return
    text = shelf.find("reports", "markdown").verdict(verdict, observed=observed)
    try:
        with open(path, "a", encoding="utf-8", errors="surrogateescape") as summary:
            summary.write(text)
    except OSError as error:
        raise InputError(f"{path} (${SUMMARY}) cannot be written: {error.strerror or error}.") from None
