"""The bundled shop as a project: its queries and documents, and two runs made by counting words that agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rankproof.cli.judgments.store import fill, read_filling, template_of
from rankproof.judging.records import SCALES, Project
from rankproof.judging.store.store import Store
from rankproof.reading.datasets.read import read_dataset

SLUG = "sample"
GUIDELINES = """Think of somebody who typed these words and wants to buy.

Look at what the product is, not at how well it is described. A product that lacks something that was asked for, \
such as the color or the size, is a substitute. What only goes with it, such as a case for a phone, is a complement."""


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _run(path: Path, name: str, fields: tuple[str, ...]) -> str:
    """A run of the first 20 products by how many words of the query their fields have."""
    shop = read_dataset("sample:shop")
    corpus = shop.corpus
    words = [_words(" ".join(texts)) for texts in zip(*(corpus.fields[field] for field in fields), strict=True)]
    lines = []
    for query in shop.asked_queries:
        wanted = _words(query.text)
        found = sorted(range(len(corpus)), key=lambda i: (-len(wanted & words[i]), corpus.doc_ids[i]))[:20]
        lines += [f"{query.query_id} Q0 {corpus.doc_ids[i]} {n} {20 - n} {name}" for n, i in enumerate(found, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{name}={path}"


def sample_shop(store: Store, folder: Path, **more: Any) -> Project:
    """The project, filled as `rankproof judgments init` fills one."""
    runs = [_run(folder / "titles.run", "titles", ("title",))]
    runs.append(_run(folder / "texts.run", "texts", ("title", "bullets", "description")))
    filling = read_filling("sample:shop", None, runs, 20)
    template = template_of(filling.field_names)
    project = Project(SLUG, "The sample shop", SCALES["esci"], GUIDELINES, template, **more)
    store.projects.add(project, "setup")
    fill(store, SLUG, filling)
    return project
