"""The pages on adding things end in files that are really added: to a clone, and as another package."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.documents.clone import Clone, Edit, edits
from tests.documents.pages import DOCS, ROOT, blocks, headings
from tests.documents.reader import SAMPLE

from rankproof import extend
from rankproof.kernel.shelf import PACKAGES

pytestmark = pytest.mark.slow

PUBLIC_IMPORT = re.compile(r"^from rankproof\.extend import (?:\(([^)]*)\)|([^\n]*))$", re.MULTILINE)
# A page without an item of its own.
ABOUT_ALL = {"package.md"}


def defining(public: re.Match[str]) -> str:
    """An import from rankproof.extend as imports from the modules that define its names."""
    names = [name.strip() for name in (public[1] or public[2]).split(",") if name.strip()]
    where = {name: extend._DEFINED_IN[name] for name in names}
    return "\n".join(
        f"from {module} import {', '.join(name for name in names if where[name] == module)}"
        for module in sorted(set(where.values()))
    )


@dataclass(frozen=True)
class Added:
    """A page, the shelf and the name of the item it adds, and what the command line makes of it."""

    page: str
    shelf: str
    item: str
    command: tuple[str, ...]
    output: str  # a pattern in what the command prints

    @property
    def path(self) -> Path:
        return DOCS / "adding" / self.page

    @property
    def file(self) -> Edit:
        """The item's own file."""
        (file,) = (edit for edit in edits(self.path) if edit.path.startswith("yourpackage/"))
        return file

    @property
    def inside(self) -> Edit:
        """The same file inside rankproof: its imports name the modules that define what they import."""
        folder = PACKAGES[self.shelf].replace(".", "/")
        return Edit(f"src/{folder}/{self.module}.py", PUBLIC_IMPORT.sub(defining, self.file.text))

    @property
    def tests(self) -> list[Edit]:
        """What is added to the tests of rankproof."""
        return [edit for edit in edits(self.path) if edit.path.startswith("tests/")]

    @property
    def module(self) -> str:
        return Path(self.file.path).stem


ADDED = [
    Added(
        "measure.md",
        "measures",
        "BestGrade",
        ("evaluate", "qrels.trec", "bm25.run", "-m", "best_grade@5 BestGrade@10"),
        r"run +BestGrade@5 +BestGrade@10\nbm25 +0\.\d{4} +0\.\d{4}\n",
    ),
    Added(
        "format.md", "formats", "letor", ("qrels", "validate", "train.letor"), r"valid; 2 rows, 1 query; format letor"
    ),
    Added(
        "check.md", "checks", "self_retrieved", ("runs", "validate", "self.run"), r"warning self_retrieved\n    line 2:"
    ),
    Added(
        "dialect.md",
        "dialects",
        "dashboard",
        ("evaluate", "qrels.trec", "bm25.run", "-m", "nDCG@10", "--dialect", "dashboard"),
        r"bm25 +0\.\d{4}\n(?s:.*)dialect: dashboard\n",
    ),
    Added(
        "diagnosis.md",
        "diagnoses",
        "no_answer",
        ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "RR"),
        r"dense: 1 of 19 queries gets no document \(q20\)",
    ),
    Added(
        "rule.md",
        "rules",
        "enough_queries",
        ("gate", "policy.toml"),
        r"nDCG@10 has a value for 20 queries; 50 are asked for",
    ),
    Added(
        "significance.md",
        "significance",
        "z",
        ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "RR", "--significance", "z", "--no-beyond"),
        r"method: Normal approximation, 95% confidence intervals \(CI\) by the same method",
    ),
    Added(
        "engine.md",
        "engines",
        "overlap",
        ("search", "overlap.toml", "q16", "-n", "1"),
        r"q16: 10 inch cast iron skillet\n\nnew \(.*\): overlap\(least=2\)\n  1  P\w+  grade \d ",
    ),
    Added(
        "stage.md",
        "stages",
        "all_words_first",
        ("search", "all_words_first.toml", "q16", "-n", "1"),
        r"q16: 10 inch cast iron skillet\n\nnew \(.*\): bm25\(\) >> all_words_first\(depth=20\)\n  1  P\w+  grade \d ",
    ),
    Added("judge.md", "judges", "stars", ("explain", "stars"), r"Asks for a number of stars"),
    Added(
        "report.md",
        "reports",
        "tsv",
        ("evaluate", "qrels.trec", "bm25.run", "-m", "nDCG@10", "--format", "tsv"),
        r"run\tquery_id\tmeasure\tvalue\nbm25\tall\tnDCG@10\t0\.\d+\n",
    ),
]
every_page = pytest.mark.parametrize("added", ADDED, ids=lambda added: added.page)


def test_every_page_on_adding_is_here() -> None:
    assert {path.name for path in (DOCS / "adding").glob("*.md")} == {added.page for added in ADDED} | ABOUT_ALL


@every_page
def test_the_page_ends_in_a_whole_file(added: Added) -> None:
    assert headings(added.path)[-2:] == ["A whole one", "In rankproof itself"]
    assert not (ROOT / added.inside.path).exists(), "an example must not be taken by a real item"


@every_page
def test_the_file_passes_its_shelfs_contract(added: Added, tmp_path: Path) -> None:
    clone = Clone(tmp_path)
    contract = f"tests/contracts/test_{added.shelf}.py"
    has_contract = (clone.root / contract).exists()
    clone.apply(added.inside)
    if added.tests:
        output = clone.pytest(contract, "-k", "test_every")
        assert re.search(r"[1-9]\d* failed", output), "the contract must miss what the page adds to the tests"
    for edit in added.tests:
        clone.apply(edit)
    if ">>>" in added.file.text:
        output = clone.pytest(added.inside.path, "--doctest-modules")
        assert "1 passed" in output, output
    if has_contract:
        output = clone.pytest(contract, "-k", f"{added.item} or {added.module} or test_every")
        assert re.search(r"exit status 0$", output), output
        assert int(re.findall(r"(\d+) passed", output)[-1]) >= 3, output


@every_page
def test_the_item_appears_without_further_registration(added: Added, tmp_path: Path) -> None:
    """In the generated reference; and by lint, format and types the file is as the project's own."""
    clone = Clone(tmp_path)
    clone.apply(added.inside)
    code = "import json, runpy\nprint(json.dumps(runpy.run_path('docs/generate.py')['pages']()))"
    made = json.loads(clone.python(code).stdout)
    assert f"\n## {added.item}\n" in made[f"{added.shelf}.md"]
    package = clone.root / "yourpackage"
    package.mkdir()
    (clone.root / added.file.path).write_text(added.file.text, encoding="utf-8")
    for command in (("ruff", "check"), ("ruff", "format", "--check"), ("mypy", "--follow-imports=silent")):
        ran = subprocess.run(
            [sys.executable, "-m", *command, added.file.path],
            cwd=clone.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr


@every_page
def test_the_same_file_works_in_another_package(added: Added, tmp_path: Path) -> None:
    (named,) = (tomllib.loads(b.text)["project"]["entry-points"] for b in blocks(added.path) if b.language == "toml")
    assert list(named) == [f"rankproof.{added.shelf}"]
    install(tmp_path / "site", added, named)
    here = tmp_path / "sample"
    here.mkdir()
    for file in SAMPLE.iterdir():
        (here / file.name).write_bytes(file.read_bytes())
    (here / "train.letor").write_text("2 qid:10 1:0.03 2:0.00 #docid = GX029-35\n0 qid:10 1:0.01 # GX030\n")
    (here / "policy.toml").write_text(
        '[policy]\nqrels = "qrels.trec"\ncandidate = "bm25.run"\n'
        '[[rule]]\nrule = "enough_queries"\nmeasure = "nDCG@10"\nat_least = 50\n'
    )
    (here / "self.run").write_text("q1 Q0 d1 1 9 t\nq1 Q0 q1 2 8 t\n")
    for name, pipeline in (("overlap", "overlap(least=2)"), ("all_words_first", "bm25() >> all_words_first(depth=20)")):
        (here / f"{name}.toml").write_text(
            f'[benchmark]\ndataset = "sample:shop"\n[modes]\nnew = "{pipeline}"\n', encoding="utf-8"
        )
    site = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])}
    module = f"from rankproof.testing import check_item\nfrom yourpackage import {added.module}\n"
    checked = subprocess.run(
        [sys.executable, "-c", f"{module}for item in {added.module}.OFFERS: check_item(item)"],
        cwd=here, capture_output=True, text=True, check=False, env=site,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr
    ran = subprocess.run(
        [sys.executable, "-m", "rankproof", *added.command],
        cwd=here, capture_output=True, text=True, check=False,
        env=site,
    )  # fmt: skip
    assert re.search(added.output, ran.stdout), ran.stdout + ran.stderr


def install(site: Path, added: Added, points: dict[str, dict[str, str]]) -> None:
    """A package with the file in it, as an installer would leave it."""
    package, about = site / "yourpackage", site / "yourpackage-1.0.dist-info"
    package.mkdir(parents=True)
    about.mkdir()
    (package / "__init__.py").touch()
    (package / f"{added.module}.py").write_text(added.file.text, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: yourpackage\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in names.items()) for group, names in points.items()]
    (about / "entry_points.txt").write_text("\n".join(lines))
