"""promptfoo: the results of an evaluation, as `promptfoo eval -o out.json` or `-o out.jsonl` writes them (0.121.20).

A score by question is `score`, `pass`, each named score (`metric:` of an assertion), `latencyMs` and `cost`; of the
last two less is better. A result that ended in an error, or whose grader failed, has score 0 in the file: here its
score is missing. One file may hold several systems, a provider with a prompt each, whose name is in the column
`provider`: `--system provider` compares them, and `provider=` chooses one.

The query is a var: question, query, input or the like, the only one, or the one that `query=` names; its id is a var
or a field of the test's metadata called query_id, question_id or id, else its text. The run is lists of contexts, in
the order given: retrieved_context_ids, contexts, documents or the like in the metadata of the response or in the vars
(`contexts=` names the field), or what contextTransform gave to an assertion. Gold is reference_contexts or
reference_context_ids, in the metadata of the test or in the vars. Contexts in one text are no ranking, and are not
taken over.

holds: run, qrels, topics, scores
options: provider=, query=, contexts=, names=ids or names=texts
source: https://www.promptfoo.dev/docs/configuration/outputs/

    {"evalId": "...", "results": {"version": 3, "prompts": [...], "results": [{"vars": ..., "namedScores": ...}]}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._contexts import (
    NAMES,
    NAMES_OPTION,
    Passage,
    RagSample,
    is_id,
    object_passages,
    passages,
    sample_rows,
    sample_topics,
)
from rankproof.reading.formats._files import document, header, line_records
from rankproof.reading.formats._jsontext import refuse_repeated
from rankproof.reading.formats._names import RELEVANT, RETRIEVED
from rankproof.reading.formats._promptfoo_scores import (
    PromptfooCounts,
    Result,
    components,
    mapping_of,
    result_scores,
    score_notes,
)
from rankproof.reading.formats._records import Naming, first_record
from rankproof.reading.formats.contract import Format, Noun, Options, Read, ScoreRows, Sure, Topics
from rankproof.reading.source import Source

INSTEAD = "Write JSON lines, which are read one by one: promptfoo eval -o out.jsonl."
_DOCUMENT = re.compile(
    rb'\s*\{\s*("evalId"\s*:\s*("[^"]*"|null)\s*,\s*)?"results"\s*:\s*\{\s*"(version|timestamp|results|prompts|stats)"'
)
RESULT = {"vars", "provider", "namedScores"}
# Columns of the table that promptfoo writes for people, with the answers of each system side by side.
TABLE = {"Status", "Score", "Named Scores", "Grader Reason"}
QUESTION_IDS = ("query_id", "question_id", "qid", "id")
QUESTIONS = ("question", "query", "user_input", "input", "user_question", "message", "prompt", "topic")
# Lists of texts or of objects; ids of chunks stand under names of their own.
CONTEXTS = (
    "contexts", "context", "retrieved_contexts", "retrieval_context", "retrievalContext", "retrieved", "documents",
    "docs", "chunks", "passages", "sources",
)  # fmt: skip
RETRIEVED_IDS = tuple(name for name in RETRIEVED if name.endswith("ids"))
GOLD_IDS = tuple(name for name in RELEVANT if name.endswith("ids"))
GOLD = ("reference_contexts", "gold_contexts", "expected_contexts")


# ---- detection ------------------------------------------------------------------------------------


def detect(source: Source, noun: Noun) -> Sure:
    """A document of results under their version, or a result with its vars, provider and named scores."""
    if _DOCUMENT.match(source.head) is not None or _is_table(source):
        return Sure.CERTAIN
    record = first_record(source)
    return Sure.CERTAIN if record is not None and record.keys() >= RESULT else Sure.NO


def _is_table(source: Source) -> bool:
    """Whether it is the CSV of an evaluation, which reading refuses."""
    return set(header(source)) >= TABLE


# ---- results --------------------------------------------------------------------------------------


@dataclass(slots=True)
class PromptfooResult:
    """What is kept of one result: its system, its question and contexts, and its scores, None where missing."""

    sample: RagSample
    provider: str
    prompt: str
    scores: dict[str, Any]
    in_one_text: bool
    counts: PromptfooCounts
    system: str = ""


def results(source: Source) -> Iterator[tuple[str, Result]]:
    """Each result with its place."""
    if _is_table(source):
        raise InputError(
            f"{source.name} is the table that promptfoo writes as CSV, which has neither contexts nor the errors of "
            "graders. Write the evaluation as JSON lines: promptfoo eval -o out.jsonl."
        )
    if _DOCUMENT.match(source.head) is None:
        for where, record in line_records(source):
            refuse_repeated(record, where)
            yield where, record
        return
    whole = document(source, "JSON", INSTEAD)
    refuse_repeated(whole, source.name)
    inner = whole.get("results") if isinstance(whole, Mapping) else None
    listed = inner.get("results") if isinstance(inner, Mapping) else None
    if not isinstance(listed, list):
        raise InputError(
            f"{source.name}: there is no list results.results. Export the evaluation again, as JSON lines."
        )
    for number, record in enumerate(listed, 1):
        where = f"{source.name}, result {number}"
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: results of promptfoo are JSON objects; got {record!r:.60}.")
        refuse_repeated(record, where)
        yield where, record


def _read(source: Source, options: Options, contexts: bool = False) -> tuple[list[PromptfooResult], PromptfooCounts]:
    """The results of all systems, or of the one that `provider=` names; with contexts where these are asked for."""
    read = [_result(record, where, options, contexts) for where, record in results(source)]
    if not read:
        raise InputError(f"{source.name}: the evaluation has no results.")
    prompts: dict[str, dict[str, None]] = {}
    for result in read:
        prompts.setdefault(result.provider, {})[result.prompt] = None
    for result in read:
        several = len(prompts[result.provider]) > 1
        result.system = f"{result.provider}: {result.prompt}" if several else result.provider
    chosen = options.get("provider")
    kept = [result for result in read if chosen in (None, result.system, result.provider)]
    if not kept:
        raise UnknownName(f"provider of {source.name}", str(chosen), list(dict.fromkeys(r.system for r in read)))
    counts = PromptfooCounts()
    for result in kept:
        counts.add(result.counts)
    return kept, counts


def _result(record: Result, where: str, options: Options, contexts: bool) -> PromptfooResult:
    counts = PromptfooCounts()
    own = mapping_of(record.get("vars"), "vars", where)
    case = mapping_of(record.get("testCase"), "testCase", where)
    response = record.get("response")
    told = mapping_of(response.get("metadata") if isinstance(response, Mapping) else None, "metadata", where)
    # The metadata of a result are those of its test and of its response together.
    metadata = {
        **mapping_of(case.get("metadata"), "metadata", where),
        **mapping_of(record.get("metadata"), "metadata", where),
    }
    metadata |= told
    grading = mapping_of(record.get("gradingResult"), "gradingResult", where)
    given = next((place[key] for place in (own, metadata) for key in QUESTION_IDS if is_id(place.get(key))), None)
    sample, in_one_text = RagSample(where, given, _question(record, own, options, where, counts)), False
    if contexts:
        retrieved, in_one_text = _retrieved(own, metadata, grading, options, where)
        sample = replace(sample, retrieved=retrieved, gold=_gold(own, metadata, where))
    provider, prompt = _system(record, where)
    scores = result_scores(record, grading, where, counts)
    return PromptfooResult(sample, provider, prompt, scores, in_one_text, counts)


def _system(record: Result, where: str) -> tuple[str, str]:
    """The provider's label or id, and the prompt's label on one line."""
    provider = record.get("provider")
    if isinstance(provider, Mapping):
        provider = provider.get("label") or provider.get("id")
    if not isinstance(provider, str) or not provider:
        raise InputError(f"{where}: the provider has neither an id nor a label; got {record.get('provider')!r:.60}.")
    prompt = record.get("prompt")
    label = (prompt.get("label") or prompt.get("raw")) if isinstance(prompt, Mapping) else record.get("promptIdx")
    return provider, " ".join(str(label).split())[:60]


def _question(record: Result, own: Mapping[str, object], options: Options, where: str, counts: PromptfooCounts) -> str:
    """The var that is the question: the one that is named, one of a usual name, the only one; or all of them."""
    chosen = options.get("query")
    if chosen is not None:
        if not isinstance(own.get(str(chosen)), str):
            raise UsageError(
                f"{where}: there is no var {chosen!r:.60} with a text. Its vars: {', '.join(own) or 'none'}."
            )
        return str(own[str(chosen)])
    texts = {key: value for key, value in own.items() if isinstance(value, str) and key not in CONTEXTS}
    key = next((key for key in QUESTIONS if key in texts), next(iter(texts)) if len(texts) == 1 else None)
    if key is not None:
        return texts[key]
    counts.by_vars += 1
    if texts:
        return json.dumps(texts, ensure_ascii=False, sort_keys=True)
    prompt = record.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, Mapping) else prompt
    if not isinstance(raw, str) or not raw.strip():
        raise InputError(f"{where}: there is no var with a text, and no prompt, that could name the question.")
    return raw


# ---- contexts -------------------------------------------------------------------------------------


def _retrieved(
    own: Mapping[str, object],
    metadata: Mapping[str, object],
    grading: Mapping[str, object],
    options: Options,
    where: str,
) -> tuple[list[Passage] | None, bool]:
    """The contexts of a result, None where there is no list of them; and whether they stand in one text."""
    chosen = options.get("contexts")
    if chosen is not None:
        place, _, key = str(chosen).rpartition(".")
        if place not in ("", "vars", "metadata"):
            raise UsageError(
                f"The option contexts names a field, such as vars.context or metadata.docs; got {chosen!r:.60}."
            )
        found = {"vars": own, "metadata": metadata}.get(place, {**own, **metadata}).get(key)
        return (_passages(found, key, where), False) if isinstance(found, list) else (None, isinstance(found, str))
    in_one_text = False
    for fields in (metadata, own):
        ids = next((key for key in RETRIEVED_IDS if _are(is_id, fields.get(key))), None)
        texts = next((key for key in CONTEXTS if isinstance(fields.get(key), list)), None)
        if ids is not None:
            told = fields[texts] if texts is not None and _are(_is_text, fields[texts]) else None
            return passages(fields[ids], told, (ids, texts or ""), where), False
        if texts is not None:
            return _passages(fields[texts], texts, where), False
        in_one_text = in_one_text or any(isinstance(fields.get(key), str) for key in CONTEXTS)
    for component in components(grading):
        given = component.get("metadata")
        context = given.get("context") if isinstance(given, Mapping) else None
        if isinstance(context, list):
            return _passages(context, "context", where), False
        in_one_text = in_one_text or isinstance(context, str)
    return None, in_one_text


def _gold(own: Mapping[str, object], metadata: Mapping[str, object], where: str) -> list[Passage] | None:
    for fields in (metadata, own):
        ids = next((key for key in GOLD_IDS if isinstance(fields.get(key), list)), None)
        texts = next((key for key in GOLD if isinstance(fields.get(key), list)), None)
        if ids is not None or texts is not None:
            if ids is None:
                return _passages(fields[texts or ""], texts or "", where)
            return passages(fields[ids], None if texts is None else fields[texts], (ids, texts or ""), where)
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are(kind: Callable[[object], bool], value: object) -> bool:
    return isinstance(value, list) and all(map(kind, value))


def _passages(value: object, key: str, where: str) -> list[Passage]:
    """Contexts from a list of texts, or of objects with an id or a text."""
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return object_passages(value, key, where)
    return passages(None, value, ("", key), where) or []


def _systems(read: Sequence[PromptfooResult]) -> list[str]:
    return list(dict.fromkeys(result.system for result in read))


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The contexts of one system, in their order; or gold, which is the same for all systems."""
    read, counts = _read(source, options, contexts=True)
    systems = _systems(read)
    if noun == "run" and len(systems) > 1:
        raise InputError(
            f"{source.name} holds {counted(len(systems), 'system')}: {_few(systems)}. A run is of one of them: choose "
            f"it by the option provider, as in read_run(..., provider={systems[0]!r}) or `rankproof convert -O "
            f"provider={systems[0]}`."
        )
    in_one_text = sum(result.in_one_text for result in read)
    lacking = "Let the application give them as a list, in the metadata of its answer (metadata.contexts)."
    if in_one_text:
        lacking = f"In {counted(in_one_text, 'result')} they stand in one text, which is no ranking. {lacking}"
    if noun == "qrels":
        lacking = "Give each test the ids of its gold contexts: metadata: {reference_context_ids: [...]}."
    samples = [result.sample for result in read]
    made = sample_rows(_once(samples) if noun == "qrels" else samples, noun, source.name, options, lacking)
    notes = [*made.notes, *_question_notes(counts)]
    if in_one_text and noun == "run":
        notes.append(f"contexts in one text, which is no ranking: {counted(in_one_text, 'result')}, not taken over")
    return Read(made.rows, tuple(notes), unit=made.unit, without_documents=made.without_documents)


def _once(samples: Iterable[RagSample]) -> list[RagSample]:
    """Samples that differ in their gold: a test is there once for each system and repetition."""
    kept = {
        (str(sample.id), str(sample.question), None if sample.gold is None else tuple(sample.gold)): sample
        for sample in reversed(list(samples))
    }
    return list(reversed(kept.values()))


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(repr(name) for name in names[:5]) + more


def topics(source: Source, options: Options) -> Topics:
    """The questions."""
    return sample_topics(_once(result.sample for result in _read(source, options)[0]))


def _question_notes(counts: PromptfooCounts) -> Iterator[str]:
    if counts.by_vars:
        yield "no var is called question or the like: a question is all of its vars together; query= names one"


# ---- scores ---------------------------------------------------------------------------------------


def scores(source: Source, options: Options) -> ScoreRows:
    """The scores of each result, by question, with the system in the column `provider`."""
    read, counts = _read(source, options)
    naming = Naming()
    made = []
    for result in read:
        sample = result.sample
        unit = naming.query(sample.id, sample.question, sample.where)
        made.append({"unit": unit, "provider": result.system, **result.scores})
    systems = _systems(read)
    notes = [*naming.notes(), *_question_notes(counts)]
    if len(systems) > 1:
        many = counted(len(systems), "system")
        notes.append(f"{many} in the column 'provider': {_few(systems)}; compare them by --system provider")
    return ScoreRows(made, (*notes, *score_notes(counts)))


OFFERS = (
    Format(
        name="promptfoo",
        page=__doc__,
        holds=("run", "qrels", "topics", "scores"),
        detect=detect,
        rows=rows,
        topics=topics,
        scores=scores,
        options={
            "provider": "the system to take, by the provider's label or id (and its prompt, where it has several)",
            "query": "the var that is the question",
            "contexts": "the field with the list of contexts: vars.NAME or metadata.NAME",
            NAMES: NAMES_OPTION,
        },
    ),
)
