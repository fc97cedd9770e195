"""Writes docs/reference, a page for each shelf and one for the command line, and docs/engines (engine_pages.py).

`make docs` runs it. A test compares the stored pages with what `pages()` makes, so that they cannot fall behind.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import dedent

import click

from rankproof.cli.shared.groups import WithInit
from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf
from rankproof.measuring.explain import Page, page_of
from rankproof.measuring.trec_names import TREC_MEASURES, TREC_SETS

REFERENCE = Path(__file__).resolve().parent / "reference"
WIDTH = 80

# Shelf -> title and what a reader should know before the first item.
SHELVES = {
    "measures": (
        "Measures",
        "What a ranking is worth. `NAME(parameter=value)@k` says everything; what is left unsaid has its default, and "
        "`rankproof explain NAME` prints the same page. The names of trec_eval stand at the end.",
    ),
    "spanmeasures": (
        "Span measures",
        "What retrieved chunks are worth, as ranges of text against gold spans: `NAME@k`, or `NAME@4000tokens` for a "
        "budget of text. [Chunks as ranges of text](../spans.md) shows them on data.",
    ),
    "checks": (
        "Checks",
        "What can be wrong with a run or with qrels. An error is refused unless `--allow CODE` lets it pass; a warning "
        "is an error under `--strict`; a note is good to know.",
    ),
    "formats": (
        "Formats",
        "What is read and written. A format is recognized by content; `--format` (`evaluate`: `--run-format`, "
        "`--qrels-format`) forces one. gzip, zstd, bzip2 and xz are taken off first, by content too.",
    ),
    "dialects": (
        "Dialects",
        "Whose conventions to follow. `--dialect NAME` gives that tool's number exactly, inside the limits named here. "
        "[Why does my number differ?](../differs.md) shows each with a run.",
    ),
    "similarities": (
        "Similarities",
        "How alike two rankings are, without judgments: `rankproof similarity RUN_A RUN_B -m NAME`.",
    ),
    "engines": (
        "Engines",
        "What answers queries, in a pipeline such as `bm25(k1=0.9) >> cutoff(depth=100)`: `rankproof benchmark run`, "
        "`rankproof search`, `rankproof runs fetch`. "
        "[Benchmark what you run](../engines/index.md) has a page for each.",
    ),
    "stages": (
        "Stages",
        "What transforms rankings, or queries before they are asked, in a pipeline.",
    ),
    "significance": (
        "Tests and intervals",
        "How sure a difference is: `rankproof compare --significance NAME`. Interval and p-value come from one method. "
        "[Statistics](../statistics.md) says which to choose and what simulations showed.",
    ),
    "corrections": (
        "Corrections",
        "What keeps a family of tests honest: `rankproof compare --correction NAME`.",
    ),
    "adjudications": (
        "Adjudications",
        "How the words of several judges become one grade: `rankproof judgments adjudicate --method NAME`. "
        "[The judging store](../judging-store.md) says what is kept.",
    ),
    "selections": (
        "Selections",
        "Which pairs people judge next, in the settings of a project: `depth_pool(depth=10)`. What is left unsaid has "
        "its default.",
    ),
    "judges": (
        "Judges",
        "How a language model is asked about documents and how it is read: `rankproof judge run --judge NAME`. "
        "[Run a model judge](../judge-run.md) says how, [how to trust one](../model-judges.md) how far it counts.",
    ),
    "clickmodels": (
        "Click models",
        "What users look at and what makes them click, learned from pages that were shown: what is left unsaid has its "
        "default, as in `user_browsing(passes=20)`.",
    ),
    "estimators": (
        "Estimators",
        "What a new ranking would have earned, from logged decisions: `rankproof clicks estimate --estimator NAME`. "
        "[What would this ranking have got?](../counterfactual.md) says when to trust it.",
    ),
    "trials": (
        "Trial methods",
        "How sure an effect between two variants of a trial is, from sufficient statistics of their units. One that is "
        "always valid may be read at any time.",
    ),
    "interleavings": (
        "Interleavings",
        "How the rankings of several systems become one list, so that clicks say which users prefer: "
        "`rankproof.online.interleaving.show.interleave(rankings, key, method)`.",
    ),
    "rules": ("Rules", "What a gate may ask: entries `[[rule]]` of a policy. [Gate](../gate.md) says how they decide."),
    "diagnoses": ("Diagnoses", "Patterns in the values of a run, why they matter, and what to try."),
    "reports": (
        "Reports",
        "The forms of the answer: `--format NAME` of `evaluate`, `compare` and `gate`, as far as each can hold it.",
    ),
}

# Of the formulas of measures, in LaTeX; a page explains what it alone uses.
SYMBOLS = {
    r"k": "the cutoff; where there is none, all ranks of the ranking",
    r"n": "the number of documents retrieved",
    r"d_i": "the document at rank i",
    r"g_i": "its grade; unjudged documents and ranks after the last have none, and no gain",
    r"r_i": "1 where it is relevant (its grade is at least `rel`), else 0",
    r"R": "the number of relevant documents of the query, retrieved or not",
    r"N": "the number of documents that were judged not relevant",
    r"R_i, N_i": "how many of them stand above rank i",
    r"g^*_i": "the grade at rank i of the ideal ranking, all judged documents by descending grade",
    r"d^*": "the ideal ranking",
    r"g_{\max}": "the top grade of the scale",
    r"[\ldots]": "1 where what stands between the brackets is true, else 0",
    r"Q": "the queries that are scored",
    r"T, T(d)": "the subtopics that any judged document covers, and those that document d covers",
    r"c_{t,i}": "how many documents above rank i cover subtopic t",
}


def pages() -> dict[str, str]:
    """The reference: file name -> Markdown. The same code gives the same text, on any machine."""
    made = {f"{name}.md": _shelf(name, *about) for name, about in SHELVES.items()}
    return {**made, "cli.md": _command_line()}


def main() -> int:
    """Writes what has changed, removes what is no longer made, and says so."""
    engines = runpy.run_path(str(REFERENCE.with_name("engine_pages.py")))
    for folder, made in ((REFERENCE, pages()), (engines["PAGES"], engines["pages"]())):
        folder.mkdir(exist_ok=True)
        for name, text in made.items():
            path = folder / name
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                print(f"written: {folder.name}/{name}")
        for stale in sorted({path.name for path in folder.glob("*.md")} - set(made)):
            (folder / stale).unlink()
            print(f"removed: {folder.name}/{stale}")
    return 0


# ---- shelves -------------------------------------------------------------------------------------


def _shelf(name: str, title: str, about: str) -> str:
    # Only our own files: what other packages add by entry point is not part of this reference.
    offered = shelf.offered(name)
    items = [page_of(name, item) for item in offered.values()]
    items.sort(key=lambda page: page.name.casefold())
    rows = [(f"[{page.name}](#{anchor(page.name)})", _cell(page.summary)) for page in items]
    folder = shelf.PACKAGES[name].replace(".", "/")
    parts = [_head(title, about, f"src/{folder}/"), _table((shelf.KINDS[name], "in a line"), rows)]
    if name == "measures":
        parts.append(_symbols())
    if name == "engines":
        parts += [f"## {page.name}\n\n{_escaped(page.summary)}\n\n{_ELSEWHERE.format(page.name)}" for page in items]
    else:
        parts += ["\n\n".join(_item(page, getattr(offered[page.name], "formula", ""))) for page in items]
    if name == "measures":
        parts.append(_trec_names())
    return "\n\n".join(parts) + "\n"


_ELSEWHERE = "[What it does, its parameters and a configuration](../engines/{}.md)"


def _head(title: str, about: str, source: str) -> str:
    return f"# {title}\n\n{about}\n\nMade by `make docs` from `{source}`; edit there."


def _item(page: Page, formula: str) -> Iterator[str]:
    yield f"## {page.name}"
    first, *rest = markdown(page.text)
    yield first
    if formula:
        yield _fence("math", [formula])
    yield from rest
    if page.parameters:
        rows = [(f"`{p.name}`", f"`{p.default}`", _cell(p.meaning)) for p in page.parameters]
        yield _table(("parameter", "default", "meaning"), rows)
    facts = [f"- **{key}**: {_escaped(value)}" for key, value in (page.facts or {}).items() if key != "remedy"]
    if page.spellings:
        facts.append(f"- **also written**: {', '.join(f'`{spelling}`' for spelling in page.spellings)}")
    if facts:
        yield "\n".join(facts)


def _symbols() -> str:
    rows = [(f"$`{symbol}`$", meaning) for symbol, meaning in SYMBOLS.items()]
    return "\n\n".join(
        (
            "## Symbols of the formulas",
            "Formulas are those of the default parameters. A page explains the letters that it alone uses.",
            _table(("symbol", "meaning"), rows),
        )
    )


def _trec_names() -> str:
    rows = []
    for trec in TREC_MEASURES:
        variants = [str(variant) for variant in trec.form.usual(trec.measure)]
        means = ", ".join(f"`{text}`" for text in variants[:3]) + (", ..." if len(variants) > 3 else "")
        rows.append((f"`{trec.name}`", means))
    sets = ", ".join(f"`{name}`" for name in TREC_SETS)
    return "\n\n".join(
        (
            "## Names of trec_eval",
            "What follows the name is written as for trec_eval: `P.5,10` or `P_5`, `ndcg.1=3,2=9`. "
            f"The sets {sets} stand for several measures.",
            _table(("trec_eval", "here"), rows),
        )
    )


# ---- docstrings to Markdown ----------------------------------------------------------------------


def markdown(text: str) -> Iterator[str]:
    """The blocks of a page: paragraphs, `key: value` lines as a list, examples and layouts as code."""
    lines = text.strip("\n").splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith(">>> "):
            end = _until(lines, at, lambda following: not following.strip())
            yield _fence("python", lines[at:end])
            at = end
        elif line.startswith("    "):
            end = _until(lines, at, lambda following: bool(following.strip()) and not following.startswith("    "))
            yield _fence("text", lines[at:end])
            at = end
        elif line == "{":
            end = _until(lines, at, lambda following: following == "}") + 1
            yield _fence("text", lines[at:end])
            at = end
        elif _KEY.match(line):
            end = _until(lines, at, lambda following: not following.strip())
            yield "\n".join(_keys(lines[at:end]))
            at = end
        else:
            end = _until(lines, at, lambda following: not following.strip() or following.startswith(">>> "))
            yield "\n".join(map(_escaped, lines[at:end]))
            at = end


_KEY = re.compile(r"(?:[a-z]+|shown on): \S")


def _until(lines: list[str], start: int, stop: Callable[[str], bool]) -> int:
    """The place of the first line after `start` that ends what began there."""
    return next((i for i in range(start + 1, len(lines)) if stop(lines[i])), len(lines))


def _keys(lines: Iterable[str]) -> Iterator[str]:
    """A list entry for each key; what is indented goes on with the entry above it."""
    for line in lines:
        if _KEY.match(line):
            key, _, value = line.partition(": ")
            yield f"- **{key}**: {_escaped(value)}"
        else:
            yield f"  {_escaped(line.strip())}"


def _fence(language: str, lines: list[str]) -> str:
    body = dedent("\n".join(lines)).strip("\n")
    return f"```{language}\n{body}\n```"


def _escaped(text: str) -> str:
    """Prose with Markdown's own characters written out; what stands between backticks stays."""
    parts = text.split("`")
    return "`".join(p if i % 2 else re.sub(r"([*\\])", r"\\\1", p).replace("<", "&lt;") for i, p in enumerate(parts))


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def anchor(heading: str) -> str:
    """What a link to a heading says: small letters, hyphens for blanks, no other punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-")


# ---- the command line ----------------------------------------------------------------------------


def _command_line() -> str:
    parts = [
        _head(
            "Command line",
            "What `--help` prints. Errors go to standard error with their exit status; with `--json` an error is one "
            'JSON object on standard output: `{"error": {"type": ..., "message": ..., "exit_status": ...}}`. '
            "`rankproof completion SHELL` teaches a shell all of it.",
            "src/rankproof/cli/",
        )
    ]
    parts += [f"## {path}\n\n{_fence('text', text.splitlines())}" for path, text in _helps(cli, "rankproof", None)]
    return "\n\n".join(parts) + "\n"


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    """Every command's path and help, a group before its commands."""
    settings = command.context_settings if parent is None else {}
    context = click.Context(command, parent, info_name=name, terminal_width=WIDTH, **settings)
    yield context.command_path, command.get_help(context)
    if isinstance(command, WithInit):
        yield from _helps(command.init, "init", context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _helps(found, below, context)


if __name__ == "__main__":
    sys.exit(main())
