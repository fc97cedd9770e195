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
from xml.etree import ElementTree

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
    def contract(self) -> str:
        """The tests that every item of the shelf must pass; one shelf has none."""
        return f"tests/contracts/test_{self.shelf}.py"

    @property
    def points(self) -> dict[str, dict[str, str]]:
        """The entry points that the page shows."""
        (named,) = (tomllib.loads(b.text)["project"]["entry-points"] for b in blocks(self.path) if b.language == "toml")
        return dict(named)

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
        ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "RR", "--full"),
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
        ("compare", "qrels.trec", "bm25.run", "dense.run", "-m", "RR", "--significance", "z", "--no-beyond", "--full"),
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


def module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Ran:
    """Tests that ran on the clone: the names of those that passed and failed, by file, and what was printed."""

    passed: dict[str, list[str]]
    failed: dict[str, list[str]]
    output: str


def ran(clone: Clone, *args: str) -> Ran:
    report = clone.root / "report.xml"
    output = clone.pytest(f"--junitxml={report}", *args)
    by_file: tuple[dict[str, list[str]], dict[str, list[str]]] = {}, {}
    for case in ElementTree.parse(report).iter("testcase"):
        went_wrong = case.find("failure") is not None or case.find("error") is not None
        if case.find("skipped") is None:
            by_file[went_wrong].setdefault(case.attrib["classname"], []).append(case.attrib["name"])
    return Ran(*by_file, output)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone with the items of all pages, without what the pages add to the tests."""
    clone = Clone(tmp_path_factory.mktemp("adding"))
    for added in ADDED:
        clone.apply(added.inside)
    return clone


@pytest.fixture(scope="module")
def before(clone: Clone) -> Ran:
    """The contracts of the shelves while the tests know nothing of the new items."""
    return ran(clone, *(added.contract for added in ADDED if added.tests), "-k", "test_every")


@pytest.fixture(scope="module")
def after(clone: Clone, before: Ran) -> Ran:
    """The contracts and the examples of the new items, once the tests know them."""
    for added in ADDED:
        for edit in added.tests:
            clone.apply(edit)
    contracts = [added for added in ADDED if (clone.root / added.contract).exists()]
    examples = [added.inside.path for added in ADDED if ">>>" in added.file.text]
    chosen = [f"(test_{a.shelf} and ({a.item} or {a.module} or test_every))" for a in contracts]
    chosen += [Path(example).name for example in examples]
    return ran(clone, *(a.contract for a in contracts), *examples, "--doctest-modules", "-k", " or ".join(chosen))


@every_page
def test_the_file_passes_its_shelfs_contract(added: Added, before: Ran, after: Ran) -> None:
    contract = module_name(added.contract)
    if added.tests:
        assert before.failed.get(contract), "the contract must miss what the page adds to the tests"
    if ">>>" in added.file.text:
        assert len(after.passed.get(module_name(added.inside.path), [])) == 1, after.output
    if (ROOT / added.contract).exists():
        assert not after.failed.get(contract), after.output
        assert len(after.passed.get(contract, [])) >= 3, after.output


def test_nothing_else_of_the_contracts_breaks(after: Ran) -> None:
    assert after.output.endswith("exit status 0"), after.output


@pytest.fixture(scope="module")
def made(clone: Clone) -> dict[str, str]:
    """The reference as it is generated from the clone."""
    code = "import json, runpy\nprint(json.dumps(runpy.run_path('docs/generate.py')['pages']()))"
    pages: dict[str, str] = json.loads(clone.python(code).stdout)
    return pages


@every_page
def test_the_item_appears_without_further_registration(added: Added, made: dict[str, str]) -> None:
    assert f"\n## {added.item}\n" in made[f"{added.shelf}.md"]


@pytest.mark.parametrize(
    "command", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy", "--follow-imports=silent")], ids=" ".join
)
def test_the_files_are_as_the_projects_own(clone: Clone, command: tuple[str, ...]) -> None:
    """By lint, format and types."""
    (clone.root / "yourpackage").mkdir(exist_ok=True)
    for added in ADDED:
        (clone.root / added.file.path).write_text(added.file.text, encoding="utf-8")
    told = subprocess.run(
        [sys.executable, "-m", *command, *(added.file.path for added in ADDED)],
        cwd=clone.root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr


# Checks all items of the package, then runs the command line of each: what is wrong and what was printed, by page.
ELSEWHERE = """
import json, sys, traceback
from importlib import import_module
from click.testing import CliRunner
from rankproof.cli.shared.root import cli
from rankproof.testing import check_item

told = {}
for page, (module, command) in json.loads(sys.argv[1]).items():
    try:
        for item in import_module(module).OFFERS:
            check_item(item)
        wrong = ""
    except Exception:
        wrong = traceback.format_exc()
    told[page] = wrong, CliRunner().invoke(cli, command).output
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """What is wrong with the items of a package with the files of all pages, and what their commands print."""
    folder = tmp_path_factory.mktemp("elsewhere")
    install(folder / "site")
    here = folder / "sample"
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
    site = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])}
    items = {added.page: (f"yourpackage.{added.module}", added.command) for added in ADDED}
    told = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, json.dumps(items)],
        cwd=here, capture_output=True, text=True, check=False, env=site,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    answers: dict[str, tuple[str, str]] = json.loads(told.stdout)
    return answers


@every_page
def test_the_same_file_works_in_another_package(added: Added, elsewhere: dict[str, tuple[str, str]]) -> None:
    assert list(added.points) == [f"rankproof.{added.shelf}"]
    wrong, printed = elsewhere[added.page]
    assert not wrong, wrong
    assert re.search(added.output, printed), printed


def install(site: Path) -> None:
    """A package with the files of all pages in it, as an installer would leave it."""
    package, about = site / "yourpackage", site / "yourpackage-1.0.dist-info"
    package.mkdir(parents=True)
    about.mkdir()
    (package / "__init__.py").touch()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: yourpackage\nVersion: 1.0\n")
    lines: list[str] = []
    for added in ADDED:
        (package / f"{added.module}.py").write_text(added.file.text, encoding="utf-8")
        for group, names in added.points.items():
            lines += [f"[{group}]\n", *(f"{name} = {value}\n" for name, value in names.items())]
    (about / "entry_points.txt").write_text("".join(lines))
