"""Builds the documentation site from the same Markdown that GitHub shows: `make site`.

    python docs/build_site.py          stages the pages, builds build/site strictly and checks what was built
    python docs/build_site.py --check  checks what was built before

A page stays as it is for GitHub. Staged, three things change: links that leave the site go to the repository, formulas
(blocks marked `math`, in LaTeX) become MathML, which browsers show without a script, and the API reference gets a page
for each group of public names, which mkdocstrings fills from the code.
"""

from __future__ import annotations

import posixpath
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
CONFIG = ROOT / "zensical.toml"
BUILD = ROOT / "build"
REPOSITORY: str = runpy.run_path(str(DOCS / "install.py"))["REPOSITORY"]
# Documents of the root that are pages of the site. The README is the home of the repository, docs/index.md of the site.
FROM_ROOT = ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
# Group of public names -> title, sentence and names; a test holds them against `rankproof.__all__`.
API = {
    "measure": (
        "Measure",
        "Values of measures on a run. [From Python](../python.md) shows them at work.",
        (
            "evaluate", "prepare", "Evaluation", "Evaluations", "Result", "EvaluationReport", "read_report", "Order",
            "FunctionMeasure", "QueryView", "evaluate_tasks", "abstention_curve", "prove_abstention",
        ),
    ),
    "compare": (
        "Compare",
        "Differences between systems, with confidence intervals. [Compare](../compare.md) says how to read them.",
        (
            "compare", "compare_evaluations", "compare_scores", "compare_datasets", "Comparison", "Contrast",
            "DatasetComparison", "Design", "Estimate", "NotEstimable", "propose", "leaderboard", "leaderboard_scores",
            "Leaderboard", "ExperimentManifest", "read_manifest", "verify",
        ),
    ),
    "gate": (
        "Gate",
        "May it ship? [Gate](../gate.md) says how rules decide.",
        ("gate", "Verdict"),
    ),
    "data": (
        "Read and write",
        "Runs, judgments and topics. [Formats](../reference/formats.md) says what is read.",
        (
            "read_run", "read_qrels", "read_topics", "read_nuggets", "read_calls", "TaskCalls", "union_of_calls", "Run",
            "Qrels", "write", "interleave",
        ),
    ),
    "modules": (
        "Modules",
        "Doors of their own: matrices in a [training loop](../arrays.md), and [chunks as ranges of text](../spans.md).",
        ("arrays", "spans"),
    ),
    "errors": (
        "Errors",
        "Everything that rankproof raises on purpose.",
        ("RankproofError", "UsageError", "InputError", "Refused"),
    ),
}  # fmt: skip


def main(options: list[str]) -> int:
    """Stages, builds and checks; says what is wrong."""
    from check_site import faults_of

    if missing := [name for name in ("zensical", "mkdocstrings", "latex2mathml") if find_spec(name) is None]:
        print(
            f"{', '.join(missing)}: not installed. `make site` installs requirements-docs.txt first.", file=sys.stderr
        )
        return 2
    wrong = "" if "--check" in options else build(BUILD)
    faults = [wrong] if wrong else faults_of(BUILD / "site", site_path())
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 1
    print("build/site: built without a warning; every link leads somewhere, and nothing loads from another host")
    return 0


def site_path() -> str:
    """The path below which the site is published, as `/rankproof/`."""
    return re.sub(r"^https://[^/]+", "", str(_project()["site_url"]))


def stage(folder: Path) -> str:
    """Writes the pages that the site is built from; the reason where they are not those of the navigation."""
    shutil.rmtree(folder, ignore_errors=True)
    places = page_places()
    made = {place: page(source, places) for source, place in places.items()} | dict(api_pages())
    for place, text in made.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
    shutil.copytree(DOCS / "images", folder / "images")
    shutil.copytree(DOCS / "assets", folder / "assets")
    listed = set(_listed(_project()["nav"]))
    missing, stale = sorted(set(made) - listed), sorted(listed - set(made))
    reasons = [
        f"zensical.toml: nav has no entry for {place}; add a line where a reader would look" for place in missing
    ]
    reasons += [f"zensical.toml: nav names {place}, which is no page" for place in stale]
    return "\n".join(reasons)


def build(folder: Path) -> str:
    """Builds `folder`/site from `folder`/site-pages; what is wrong where a page or the builder has a warning."""
    if wrong := stage(folder / "site-pages"):
        return wrong
    shutil.rmtree(folder / "site", ignore_errors=True)
    # The builder takes paths from the folder of its configuration.
    config = CONFIG.read_text(encoding="utf-8").replace('"build/', '"')
    config = config.replace('"src"', f'"{(ROOT / "src").as_posix()}"').replace('"docs/', f'"{DOCS.as_posix()}/')
    (folder / "zensical.toml").write_text(config, encoding="utf-8")
    line = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", "zensical.toml"]
    told = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    said = re.sub(r"\x1b\[[\d;]*m", "", told.stdout + told.stderr)
    # mkdocstrings logs names that it cannot resolve, and the builder does not count them.
    if told.returncode == 0 and not re.search(r"\b(warning|error)\b", said, re.IGNORECASE):
        return ""
    before, _, trace = said.partition("Traceback (most recent call last):")
    return "\n".join([before.strip(), *re.findall(r"^RuntimeError: .*", trace, re.MULTILINE)])


# ---- pages ---------------------------------------------------------------------------------------


def page_places() -> dict[Path, str]:
    """Each document that is a page, and its place below the site's folder."""
    found = {path: _small(path.relative_to(DOCS).as_posix()) for path in sorted(DOCS.rglob("*.md"))}
    return found | {ROOT / name: _small(name) for name in FROM_ROOT}


def _small(place: str) -> str:
    """Addresses have small letters; the README of a folder is its index."""
    folder, name = posixpath.split(place)
    return posixpath.join(folder, "index.md" if name == "README.md" else name.lower().replace("_", "-"))


def page(source: Path, places: dict[Path, str]) -> str:
    """A document as the site takes it."""
    parts = re.split(r"(^```.*?^```\n)", source.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return "".join(
        formula(part)
        if part.startswith("```math\n")
        else part
        if part.startswith("```")
        else _linked(part, source, places)
        for part in parts
    )


def _linked(prose: str, source: Path, places: dict[Path, str]) -> str:
    """Prose whose links lead to pages of the site, or to the file in the repository; its formulas as MathML."""

    def link(found: re.Match[str]) -> str:
        target = found[1]
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        path, hash_sign, heading = target.partition("#")
        goal = (source.parent / path).resolve()
        goal = goal / "README.md" if goal.is_dir() else goal
        if not goal.exists():
            return found[0]  # the builder says where
        if goal in places:
            path = posixpath.relpath(places[goal], posixpath.dirname(places[source]))
        elif goal == ROOT / "README.md":
            path = posixpath.relpath("index.md", posixpath.dirname(places[source]))
        elif not goal.is_relative_to(DOCS / "images"):
            path = f"{REPOSITORY}/blob/main/{goal.relative_to(ROOT).as_posix()}"
        return f"]({path}{hash_sign}{heading})"

    prose = re.sub(r"\$`([^`]+)`\$", lambda found: mathml(found[1]), prose)
    # What stands between backticks is no link.
    parts = re.split(r"(`[^`]*`)", prose)
    return "".join(part if i % 2 else re.sub(r"\]\(([^)\s]+)\)", link, part) for i, part in enumerate(parts))


def formula(fence: str) -> str:
    """A block of LaTeX as MathML."""
    latex = " ".join(fence.removeprefix("```math\n").removesuffix("```\n").split())
    # A wide one scrolls, so it can be reached by keyboard.
    return f'<div class="formula" tabindex="0" role="region" aria-label="formula">{mathml(latex, "block")}</div>\n'


def mathml(latex: str, display: Literal["block", "inline"] = "inline") -> str:
    """LaTeX as MathML, in ASCII without Markdown's own characters."""
    from latex2mathml.converter import convert

    return convert(latex, display=display).replace("*", "&#42;").replace("_", "&#95;")


def api_pages() -> Iterator[tuple[str, str]]:
    """The API reference: an index of all public names, and a page for each group."""
    rows = []
    for group, (title, about, names) in API.items():
        rows += [f"| [`{name}`]({group}.md#rankproof.{name}) | {title} |" for name in names]
        body = "\n\n".join(f"::: rankproof.{name}" for name in names)
        yield f"api/{group}.md", f"# {title}\n\n{about}\n\n{body}\n"
    table = "\n".join(sorted(rows, key=str.casefold))
    yield (
        "api/index.md",
        "# Python API\n\nEvery public name of `rankproof`. [From Python](../python.md) shows them in use.\n\n"
        f"| name | page |\n| --- | --- |\n{table}\n",
    )


# ---- the configuration ---------------------------------------------------------------------------


def _project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]
    return found


def _listed(nav: list[Any] | dict[str, Any] | str) -> Iterator[str]:
    """The pages of a navigation, at any depth."""
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from _listed(entry)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
