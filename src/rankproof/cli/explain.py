"""Explain a measure, a test, a format, a check, or a concept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.completing import any_name
from rankproof.cli.shared.output import document, say
from rankproof.kernel import shelf

if TYPE_CHECKING:
    from rankproof.measuring.explain import Page


# Of the lines of a concept.
WIDTH = 80


@click.command("explain")
@click.argument("words", metavar="[NAME]", nargs=-1, shell_complete=any_name)
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs.")
def command(words: Sequence[str], as_json: bool) -> None:
    """Print the page of NAME: formula, fine print, parameters, source and example; or what a concept means.

    NAME is anything on a shelf, in any accepted spelling (nDCG, mrr@10, ndcg_cut_10, trec_eval, duplicate_document), a
    concept (effect size, p-value, unjudged), or a whole shelf (measures, formats, significance, concepts). Without
    NAME, list everything there is.

    \b
    rankproof explain nDCG
    rankproof explain effect size
    rankproof explain measures
    """
    data, text = explained(" ".join(words))
    say(data if as_json else text)


def explained(name: str) -> tuple[str, str]:
    """The pages of a name, or the list of a shelf or of all for "": as a document, and as a text for reading."""
    from rankproof.measuring.explain import explain, is_shelf, listing

    if not name or (is_shelf(name) and not any(name in shelf.everything(kind) for kind in shelf.KINDS)):
        shelves = listing(name)
        listed = {name: [_brief(page) for page in pages] for name, pages in shelves.items()}
        return document("shelves/1", {"shelves": listed}), _list(shelves)
    explanation = explain(name)
    body = {"asked": name, "means": list(explanation.means), "pages": [_full(p) for p in explanation.pages]}
    head = f"{name} means {', '.join(explanation.means)}\n\n" if explanation.means else ""
    also = f"\n{_list(listing(name))}" if is_shelf(name) else ""  # `checks` is a rule of a gate and a shelf
    text = head + "\n\n".join(map(_show, explanation.pages)) + "\n" + also
    return document("explanation/1", body), text


def _list(shelves: dict[str, tuple[Page, ...]]) -> str:
    lines: list[str] = []
    for heading, pages in shelves.items():
        room = max((len(page.name) for page in pages), default=0)
        lines += [heading, *(f"  {page.name:<{room}}  {page.summary}" for page in pages), ""]
    return "\n".join([*lines, "rankproof explain NAME prints the page of any of them."]) + "\n"


def _show(page: Page) -> str:
    text = page.text if page.kind != "concept" else "\n".join(fill(line, WIDTH) for line in page.text.split("\n"))
    parts = [f"{page.name} ({page.kind})", "", text]
    if page.parameters:
        parts += [
            "",
            "parameters:",
            *_columns((p.name, f"[{p.default}]", p.meaning) for p in page.parameters),
        ]
    if page.facts:
        parts += ["", *_columns(((f"{key}:", value) for key, value in page.facts.items()), "")]
    if page.spellings:
        parts += ["", f"also written: {', '.join(page.spellings)}"]
    return "\n".join(parts)


def _columns(rows: Iterable[tuple[str, ...]], indent: str = "  ") -> list[str]:
    lines = list(rows)
    rooms = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        indent + "  ".join(f"{text:<{room}}" for text, room in zip(line, rooms, strict=True)).rstrip() for line in lines
    ]


def _brief(page: Page) -> dict[str, Any]:
    return {"name": page.name, "summary": page.summary}


def _full(page: Page) -> dict[str, Any]:
    return {
        "kind": page.kind,
        "name": page.name,
        "summary": page.summary,
        "page": page.text,
        "parameters": [{"name": p.name, "default": p.default, "meaning": p.meaning} for p in page.parameters],
        "spellings": list(page.spellings),
        "facts": dict(page.facts or {}),
    }
