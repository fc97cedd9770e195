"""Questions for a model: pairs, texts, keys of stored answers, expected tokens, and the judge pinned by hash."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.judging.judge_prompts import FORM_OF_JUDGING
from rankproof.judging.judges.contract import Judge, JudgeQuestion, Prompt
from rankproof.judging.records import Assignment, Judgment, JudgmentSource, Project, Template
from rankproof.judging.rounds.pool import material_of
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.llm.spending import TokenPrices
from rankproof.kernel.specs.calls import Configured, configure, read_configured

Pair = tuple[str, str]
# Everything else names a selection of the shelf.
WORDS = ("unjudged", "pool", "judged", "assigned")


@dataclass(frozen=True, slots=True)
class ChosenPairs:
    """The pairs, and where they come from in words that say it all. `frame` is how many there were to draw from."""

    pairs: tuple[Pair, ...]
    origin: str
    frame: int


def choose(
    what: str,
    project: Project,
    *,
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    judgments: Sequence[Judgment],
    assignments: Iterable[Assignment] = (),
    depth: int = 10,
) -> ChosenPairs:
    """The pairs that a word or a selection means.

    unjudged   the first documents of all runs, without those that people graded
    pool       the first documents of all runs
    judged     what people graded, without a suggestion in view: an anchor set to hold the model against
    assigned   what was handed out to this judge, or to anybody
    """
    graded = [j for j in judgments if j.source.kind == "person" and j.grade is not None]
    people = dict.fromkeys((j.query_id, j.doc_id) for j in graded)
    if what == "judged":
        alone = {(j.query_id, j.doc_id) for j in graded if j.source.alone}
        return _chosen(sorted(alone), "pairs that people graded alone")
    if what == "assigned":
        rows = sorted(assignments, key=lambda a: a.place)
        return _chosen(dict.fromkeys((a.query_id, a.doc_id) for a in rows), "assigned pairs")
    if not runs:
        raise UsageError(
            f"The project {project.slug!r} has no runs, so that there is no pool. Add runs with `rankproof judgments "
            "add`, or say which pairs: --pairs judged, --pairs assigned or --list FILE."
        )
    selection = (
        configure("selections", "depth_pool", {"depth": depth})
        if what in WORDS
        else read_configured("selections", what)
    )
    material = material_of(runs, judgments, project.scale, project.wanted)
    pool = [one.pair for one in selection.item.select(material, selection.values)]
    if what not in WORDS:
        return _chosen(pool, str(selection))
    if what == "pool":
        return _chosen(pool, f"the first {depth:,} of each run")
    open_ones = (pair for pair in pool if pair not in people)
    return _chosen(open_ones, f"the first {depth:,} of each run that people have not graded")


def listed(pairs: Iterable[Pair], known: Iterable[str], name: str) -> ChosenPairs:
    """The pairs of a file, those of the project's queries; an error where it has none of them."""
    every, queries = list(dict.fromkeys(pairs)), set(known)
    of_project = [pair for pair in every if pair[0] in queries]
    if every and not of_project:
        raise UsageError(f"{name} has none of the project's queries. Check that it is the right file.")
    left = len(every) - len(of_project)
    out = f", without {left:,} of queries that the project does not have" if left else ""
    return _chosen(of_project, f"{name}{out}")


def draw(chosen: ChosenPairs, number: int | None, seed: int) -> ChosenPairs:
    """So many of the pairs, drawn without replacement, in the order they had; all where there are fewer."""
    if number is None or number >= len(chosen.pairs):
        return chosen
    places = np.sort(np.random.default_rng(seed).choice(len(chosen.pairs), number, replace=False))
    origin = f"{chosen.origin}, drawn with seed {seed}"
    return ChosenPairs(tuple(chosen.pairs[i] for i in places.tolist()), origin, chosen.frame)


def _chosen(pairs: Iterable[Pair], origin: str) -> ChosenPairs:
    every = tuple(pairs)
    return ChosenPairs(every, origin, len(every))


def read_pairs(path: str) -> list[Pair]:
    """The pairs of a file, in its order, each once."""
    from rankproof.reading.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    text = source.text()
    head = text.partition("\n")[0].lstrip("\ufeff")
    for separator in ("\t", ","):
        names = next(csv.reader([head], delimiter=separator), [])
        if {"query_id", "doc_id"} <= set(names):
            return _rows(text.lstrip("\ufeff"), separator, source.name)
    from rankproof.reading.collect import read_qrels

    qrels = read_qrels(source)
    return [(query, doc) for query, docs, _, _ in qrels.judged() for doc in docs]


def _rows(text: str, separator: str, name: str) -> list[Pair]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="")
    pairs: dict[Pair, None] = {}
    try:
        for row in reader:
            if not row["query_id"] or not row["doc_id"]:
                raise InputError(
                    f"{name}, line {reader.line_num}: a pair needs a query and a document. Complete the line."
                )
            pairs[row["query_id"], row["doc_id"]] = None
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: {error}. Write it as a plain table.") from None
    return list(pairs)


CUT = " [...]"


def document_text(fields: Mapping[str, str], template: Template, characters: int) -> tuple[str, int]:
    """Its title, then its texts, each with its name where there are several; and how many characters are left out.

    >>> template = Template(texts=("brand", "text"))
    >>> document_text({"title": "Tea", "brand": "Ortevo", "text": "Green.  Loose."}, template, 99)
    ('Tea\\nbrand: Ortevo\\ntext: Green. Loose.', 0)
    """
    texts = [name for name in template.texts if fields.get(name, "").strip()]
    parts = [_flat(fields.get(template.title, ""))]
    parts += [f"{name}: {_flat(fields[name])}" if len(template.texts) > 1 else _flat(fields[name]) for name in texts]
    whole = "\n".join(part for part in parts if part)
    if len(whole) <= characters:
        return whole, 0
    return whole[:characters].rstrip() + CUT, len(whole) - characters


def _flat(text: str) -> str:
    """Its lines without what is only space."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A judge as the store knows it. `document` says in full what the hashes of the source are of."""

    name: str
    source: JudgmentSource
    seed: int
    document: Mapping[str, object]


def pin(
    name: str, judge: Configured, project: Project, model: str, settings: Mapping[str, object], repetition: int
) -> Pinned:
    """One repetition of a judge, from 1; each is a judge of its own: `name`, `name#2`, ...

    `settings` are those of the request that answers depend on; the judge's own parameters are added. The prompt is
    hashed with placeholders for query and documents, so that the scale and the rules of the project count.
    """
    item: Judge = judge.item
    shown = item.prompt(
        JudgeQuestion("{query}", ("{document}",) * item.documents, project.scale, project.guidelines), judge.values
    )
    prompt = {"system": shown.system, "user": shown.user}
    pinned_settings = {
        **settings,
        "judge": item.name,
        "form": FORM_OF_JUDGING,
        "values": dict(judge.values),
        "seed": repetition - 1,
        "most_tokens": shown.most,
        "top_tokens": shown.tops,
        "scale": project.scale.to_dict(),
    }
    source = JudgmentSource("model", model, _hash(prompt), _hash(pinned_settings))
    own = name if repetition == 1 else f"{name}#{repetition}"
    document = {
        "judge": own,
        "model": model,
        "prompt": {"sha256": source.prompt, **prompt},
        "settings": {"sha256": source.settings, **pinned_settings},
    }
    return Pinned(own, source, repetition - 1, document)


def differs(stored: Mapping[str, object], pinned: Pinned) -> list[str]:
    """What a judge of the same name had otherwise: "model", "prompt", "settings"."""
    parts = ("model", "prompt", "settings")
    return [part for part in parts if _identity(stored.get(part)) != _identity(pinned.document[part])]


def _identity(part: object) -> object:
    """The hash of a prompt or of settings; the name of a model itself."""
    return part.get("sha256") if isinstance(part, Mapping) else part


def _hash(document: Mapping[str, object]) -> str:
    return sha256(to_json(document).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A question to one judge about one document, or about two of a query.

    key   names its answer: the same question to the same judge has the same key, so that its answer is stored once
    """

    key: str
    by: Pinned
    query_id: str
    doc_ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Questions:
    """All questions, in the order of asking: every repetition of a pair after the other.

    without_text   documents that were chosen and have nothing to show
    cut            how many characters of a document are left out, of those that are too long
    """

    judge: Configured
    project: Project
    every: tuple[ModelQuestion, ...]
    without_text: int
    queries: Mapping[str, str]
    texts: Mapping[Pair, str]
    cut: Mapping[Pair, int]

    def prompts(self, question: ModelQuestion) -> tuple[Prompt, ...]:
        """What is sent: one prompt about a document, two about two documents, which change places."""
        query, scale, rules = self.queries[question.query_id], self.project.scale, self.project.guidelines
        ids, prompts = question.doc_ids, []
        for order in (ids,) if len(ids) == 1 else (ids, ids[::-1]):
            about = [(question.query_id, doc) for doc in order]
            texts, cut = tuple(self.texts[pair] for pair in about), tuple(self.cut.get(pair, 0) for pair in about)
            prompts.append(self.judge.item.prompt(JudgeQuestion(query, texts, scale, rules, cut), self.judge.values))
        return tuple(prompts)


def questions(
    judge: Configured,
    project: Project,
    pins: Sequence[Pinned],
    pairs: Sequence[Pair],
    queries: Mapping[str, str],
    documents: Mapping[Pair, Mapping[str, str]],
    characters: int,
) -> Questions:
    """The questions about pairs to a judge, for each of its repetitions; `documents` are fields by pair."""
    shown = {pair: document_text(fields, project.template, characters) for pair, fields in documents.items()}
    texts = {pair: text for pair, (text, _) in shown.items()}
    cut = {pair: more for pair, (_, more) in shown.items() if more}
    readable = [pair for pair in pairs if texts.get(pair) and pair[0] in queries]
    every = tuple(
        ModelQuestion(_key(project.slug, by, query, docs), by, query, docs)
        for query, docs in _about(readable, judge)
        for by in pins
    )
    missing = len({doc for query, doc in pairs if not texts.get((query, doc))})
    return Questions(judge, project, every, missing, queries, texts, cut)


def _about(pairs: Sequence[Pair], judge: Configured) -> Iterator[tuple[str, tuple[str, ...]]]:
    if judge.item.documents == 1:
        yield from ((query, (doc,)) for query, doc in pairs)
        return
    by_query: dict[str, list[str]] = {}
    for query, doc in pairs:
        by_query.setdefault(query, []).append(doc)
    meet = combinations if judge.values.get("pairs") == "all" else lambda docs, _: pairwise(docs)
    for query, docs in by_query.items():
        yield from ((query, two) for two in meet(docs, 2))


def _key(slug: str, by: Pinned, query: str, docs: tuple[str, ...]) -> str:
    """The order of two documents does not count: both orders are sent."""
    source = by.source
    parts = [slug, by.name, source.version, source.prompt, source.settings, query, *sorted(docs)]
    return sha256(f"model judgment 1\n{to_json(parts)}".encode("utf-8", "surrogatepass")).hexdigest()


# English has about four bytes to a token with the usual tokenizers; other languages, and code, have fewer.
BYTES_PER_TOKEN = 4
# What the form of a chat adds to each request.
AROUND = 12


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """Requests, about how many tokens they have, and how many their answers may have at most."""

    requests: int
    asked: int
    answered: int

    def to_dict(self, prices: TokenPrices | None) -> dict[str, object]:
        """For JSON."""
        cost = None if prices is None else prices.of(self.asked, self.answered)
        return {"requests": self.requests, "tokens_asked": self.asked, "tokens_answered_at_most": self.answered,
                "cost": cost}  # fmt: skip


def tokens_of(prompt: Prompt) -> int:
    """About how many tokens a question has.

    >>> tokens_of(Prompt("", "x" * 400, most=1))
    112
    """
    size = len(prompt.system.encode("utf-8", "replace")) + len(prompt.user.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN) + AROUND


def estimate(asking: Questions, open_ones: Sequence[ModelQuestion]) -> TokenEstimate:
    """For the questions that are not answered yet."""
    prompts = [prompt for question in open_ones for prompt in asking.prompts(question)]
    return TokenEstimate(len(prompts), sum(map(tokens_of, prompts)), sum(prompt.most for prompt in prompts))
