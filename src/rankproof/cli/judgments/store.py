"""How commands open a judging store, choose a project, and fill it with queries, documents and runs."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted

if TYPE_CHECKING:
    from rankproof.judging.records import Project, Template
    from rankproof.judging.store.store import Store
    from rankproof.reading.datasets.records import Dataset
    from rankproof.reading.hit_documents import HitDocuments
    from rankproof.reading.records import Run


F = TypeVar("F", bound=Callable[..., Any])
SOURCES = click.Choice(["person", "model", "clicks"])


def project_option(command: F) -> F:
    """--project, which may be left out where there is one."""
    return click.option("-p", "--project", metavar="NAME", help="The project; needed where the store has several.")(
        command
    )


def sources_option(command: F) -> F:
    """--source, which may be repeated."""
    return click.option(
        "--source",
        "sources",
        type=SOURCES,
        multiple=True,
        help="Whose judgments count; may be repeated. Default: person.",
    )(command)


def counted_kind(number: int, kind: str) -> str:
    """A number of queries, documents, judgments, ...: kinds are plurals, as the keys of JSON documents are."""
    return counted(number, "query" if kind == "queries" else kind.removesuffix("s"), kind)


def about(project: Project) -> dict[str, Any]:
    """What a JSON document says of a project."""
    return {"slug": project.slug, "name": project.name, "scale": project.scale.to_dict()}


def opened(store: str, create: bool = False) -> Store:
    """The store; an error where none is, unless it may be made."""
    from rankproof.judging.store import open_store

    return open_store(store, create=create)


def chosen(store: Store, name: str | None) -> Project:
    """The named project, or the only one."""
    if name is not None:
        return store.projects.get(name)
    every = store.projects.all()
    if len(every) == 1:
        return every[0]
    if not every:
        raise UsageError(
            f"The store {store.address} has no project yet. "
            f"Make one with: rankproof judgments init {store.address} --project NAME"
        )
    names = ", ".join(project.slug for project in every)
    raise UsageError(f"The store {store.address} has several projects: {names}. Name one with --project.")


_TITLES, _IMAGES, _LINKS = ("title", "name"), ("image", "image_url", "picture"), ("url", "link")


@dataclass(frozen=True)
class Filling:
    """What goes into a project: read and joined, so that nothing is stored unless all of it fits together.

    said   by run, what the answers of engines said of the documents: those beside runs only where no corpus has them
    """

    dataset: Dataset | None
    runs: tuple[Run, ...]
    depth: int
    said: Mapping[str, HitDocuments] = field(default_factory=dict)

    @property
    def field_names(self) -> tuple[str, ...]:
        """The fields that documents have: those of the corpus, and those that answers had."""
        corpus = None if self.dataset is None else self.dataset.corpus
        return tuple(
            dict.fromkeys([*(corpus.fields if corpus else ()), *(n for one in self.said.values() for n in one.names)])
        )

    @property
    def query_ids(self) -> frozenset[str]:
        """The queries with a text."""
        return frozenset(query.query_id for query in self.dataset.asked_queries) if self.dataset else frozenset()

    def joined(self, known: frozenset[str]) -> dict[str, dict[str, list[str]]]:
        """The first documents of each query that the project has, by run; refused where a run has none of them."""
        ranked = {
            run.name: {query: docs[: self.depth] for query, docs, _ in run.rankings() if query in known}
            for run in self.runs
        }
        for name, rankings in ranked.items():
            if not rankings:
                raise InputError(
                    f"The run {name!r} has none of the project's queries. Check that it is the right file, and give "
                    "--dataset where the queries are not there yet."
                )
        return ranked


def read_filling(
    dataset: str | None, split: str | None, runs: Sequence[str], depth: int, documents: Sequence[str] = ()
) -> Filling:
    """The dataset and the runs, NAME=PATH or PATH each, with what answers said of documents: in files that are named
    (`documents`, NAME=PATH or PATH), and else beside the runs where the dataset has no corpus."""
    from rankproof.reading.collect import read_run
    from rankproof.reading.datasets.read import read_dataset
    from rankproof.reading.hit_documents import documents_beside

    read = None if dataset is None else read_dataset(dataset, split=split)
    named: dict[str, Run] = {}
    said: dict[str, HitDocuments] = {}
    beside = not documents and (read is None or read.corpus is None)
    for spec in runs:
        name, equals, path = spec.partition("=")
        run = read_run(path, name=name) if equals else read_run(spec)
        if run.name in named:
            raise UsageError(f"Two runs are called {run.name!r}. Name them with --run NAME=PATH.")
        named[run.name] = run
        told = documents_beside(path if equals else spec) if beside else None
        if told is not None:
            said[run.name] = told
    return Filling(read, tuple(named.values()), depth, said or _named_documents(documents, named))


def _named_documents(specs: Sequence[str], runs: Mapping[str, Run]) -> dict[str, HitDocuments]:
    """The files that were named, by the run that each is of: the only one where it names none."""
    from rankproof.errors import UnknownName
    from rankproof.reading.hit_documents import read_hit_documents

    said: dict[str, HitDocuments] = {}
    for spec in specs:
        name, equals, path = spec.partition("=")
        if not equals and len(runs) != 1:
            raise UsageError(f"--documents {spec}: of which run? Give --documents NAME=PATH, with the name of a --run.")
        name, path = (name, path) if equals else (next(iter(runs)), spec)
        if name not in runs:
            raise UnknownName("run", name, runs)
        if name in said:
            raise UsageError(f"Two files of documents are of the run {name!r}. Give one.")
        said[name] = read_hit_documents(path)
    return said


def fill(store: Store, slug: str, filling: Filling) -> dict[str, Any]:
    """Adds what is not there yet; says what was added."""
    known = frozenset(query.query_id for query in store.items.queries(slug)) | filling.query_ids
    ranked = filling.joined(known)
    queries = documents = 0
    doc_ids = dict.fromkeys(doc for rankings in ranked.values() for docs in rankings.values() for doc in docs)
    stayed: list[dict[str, str]] = []
    if filling.dataset is not None:
        queries = store.items.add_queries(slug, filling.dataset.asked_queries)
        doc_ids |= dict.fromkeys(doc for _, docs, _, _ in filling.dataset.qrels.judged() for doc in docs)
        documents = store.items.add_documents(slug, _documents(filling.dataset, doc_ids))
    for name, told in filling.said.items():
        added_hits = store.hits.add(slug, told, ranked[name])
        documents += added_hits.documents
        stayed += [{"query_id": query, "doc_id": doc} for query, doc in added_hits.stayed]
    missing = len(doc_ids) - len(store.items.known_documents(slug, doc_ids))
    runs = []
    for run in filling.runs:
        rankings, digest = ranked[run.name], run.content_hash
        added = store.runs.add(slug, run.name, rankings, digest)
        runs.append({"name": run.name, "sha256": digest, "queries": len(rankings), "added": added})
    return {"queries": queries, "documents": documents, "without_text": missing, "runs": runs, "stayed": stayed}


def _documents(dataset: Dataset, doc_ids: Mapping[str, None]) -> Iterator[tuple[str, dict[str, str]]]:
    corpus = dataset.corpus
    if corpus is None:
        return
    for doc in doc_ids:
        at = corpus.place.get(doc)
        if at is not None:
            yield doc, {name: column[at] for name, column in corpus.fields.items() if column[at]}


def template_of(
    fields: Sequence[str],
    title: str | None = None,
    texts: Sequence[str] = (),
    image: str | None = None,
    link: str | None = None,
) -> Template:
    """How documents are shown: by the fields that were named, or by the usual names among those there are.

    Where there are none yet, nothing is known of their names.
    """
    from rankproof.judging.records import Template

    for name in filter(None, (title, *texts, image, link)):
        if fields and name not in fields:
            raise UsageError(f"Documents have no field {name!r}. They have: {', '.join(fields)}.")
    if not fields:
        return Template(title or "title", tuple(texts) or ("text",), image or "", link or "")
    head = title or next((name for name in _TITLES if name in fields), fields[0])
    picture = next((name for name in _IMAGES if name in fields), "") if image is None else image
    address = next((name for name in _LINKS if name in fields), "") if link is None else link
    rest = tuple(name for name in fields if name not in (head, picture, address))
    return Template(head, tuple(texts) or rest, picture, address)


def who() -> str:
    """The name of whoever is at the keyboard, for the history of a project."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "somebody"
