"""The work of `dataset draft`: from a corpus to questions, from answers to a file of drafts, to the judging store."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankproof.cli.dataset.draft_power import decided_by, refuse_power
from rankproof.cli.dataset.draft_store import hand_over, refuse_store
from rankproof.cli.judgments.store import template_of
from rankproof.cli.shared.model_options import body_of, endpoint_of, prices_of
from rankproof.cli.shared.options import refuse_second_stdin
from rankproof.cli.shared.output import refuse_output_folder
from rankproof.errors import UsageError
from rankproof.judging.drafting.ask import ask_for_drafts
from rankproof.judging.drafting.journal import AnswersOnRecord, answers_in
from rankproof.judging.drafting.marks import DraftMarker
from rankproof.judging.drafting.plan import DraftPlan, plan_drafts
from rankproof.judging.drafting.prompts import instructions
from rankproof.judging.drafting.records import KINDS, Draft, DraftLimits, DraftRequest, counts_of
from rankproof.judging.drafting.spending import DraftCeiling, DraftSpending
from rankproof.judging.models.questions import BYTES_PER_TOKEN, document_text, tokens_of
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint
    from rankproof.reading.collection import Corpus
    from rankproof.reading.ranking import Ranking

DRAFT_SCHEMA = "draft/1"
DRAFTS, ANSWERS = "drafts.jsonl", "answers.jsonl"
USUAL_QUERIES = 50


class DraftingWork:
    """One drafting: a corpus, a model, and the folder of what came of it."""

    def __init__(self, source: str, options: Mapping[str, Any]) -> None:
        self.source, self.options = source, options
        self.folder: str = options["folder"]
        refuse_second_stdin([source, options["topics"], options["qrels"], *options["runs"]])
        refuse_power(options)
        _refuse_folder(self.folder)
        self.prices = prices_of(options)
        body = body_of(options["body"])
        self.ceiling = DraftCeiling(options["max_requests"], options["max_cost"], self.prices, body)
        refuse_store(options)
        self.corpus, self.notes = read_corpus(source, options["fields"])
        self.template = template_of(list(self.corpus.fields))
        self.texts = self._shown()
        self.topics = self._topics()
        self.request = self._request()
        self.limits = DraftLimits(
            options["near_words"],
            options["near_characters"],
            options["copied"],
            run=options["run_of_words"],
            covered=options["covered"],
            longest=options["longest"],
        )

    # ---- what is asked -------------------------------------------------------------------------

    def _shown(self) -> dict[str, str]:
        fields = self.corpus.fields
        return {
            doc: document_text(
                {name: column[at] for name, column in fields.items()}, self.template, self.options["characters"]
            )[0]
            for at, doc in enumerate(self.corpus.doc_ids)
        }

    def _topics(self) -> dict[str, str]:
        if self.options["topics"] is None:
            return {}
        from rankproof.reading.collect import read_topics

        return dict(read_topics(self.options["topics"]))

    def _request(self) -> DraftRequest:
        queries = self.options["queries"]
        if queries is None:
            from rankproof.reading.datasets.queries import normal

            queries = max(1, min(USUAL_QUERIES, len({normal(text) for text in self.texts.values()} - {""})))
        names = ("several", "unanswerable", "documents", "strata", "style", "about", "characters", "tokens", "seed")
        return DraftRequest(queries, **{name: self.options[name] for name in names})

    @cached_property
    def _searcher(self) -> Any:
        """BM25 over all fields, with the engine of the search stack."""
        from rankproof.kernel.specs.calls import configure
        from rankproof.stack.records import Ground

        engine = configure("engines", "bm25", {})
        return engine.item.open(engine.values, Ground(self.corpus))

    def search(self, texts: Sequence[str], depth: int) -> Sequence[Ranking]:
        """The best documents for each text."""
        from rankproof.reading.collection import Query

        rankings: Sequence[Ranking] = self._searcher.search([Query("", text) for text in texts], depth)
        return rankings

    @cached_property
    def endpoint(self) -> Endpoint:
        """The model; nothing is sent yet."""
        from rankproof.stack.records import Ground

        # A plan needs no key.
        options = {**self.options, "key_env": None} if self.options["dry_run"] else self.options
        return endpoint_of("dataset draft", options, Ground(), self.request.seed)

    @cached_property
    def settings(self) -> dict[str, object]:
        """What answers depend on; other queries, shares, topics and limits do not change an answer."""
        return {
            "model": dict(self.endpoint.identity),
            "settings": {
                "api": self.options["api"],
                "temperature": self.options["temperature"],
                "body": body_of(self.options["body"]),
                "tokens": self.request.tokens,
                "seed": self.request.seed,
                "characters": self.request.characters,
                "fields": [self.template.title, *self.template.texts],
            },
            "prompts": {kind: instructions(kind, self.request) for kind in KINDS},
            "corpus": {"sha256": self.corpus.content_hash},
        }

    @cached_property
    def plan(self) -> DraftPlan:
        """The questions."""
        return plan_drafts(self.request, self.corpus, self.texts, self.search, self.settings)

    # ---- asking --------------------------------------------------------------------------------

    def draft(self) -> dict[str, object]:
        """Asks what has no answer on record, writes the drafts, and says what came of it."""
        from rankproof.cli.shared.output import ticking

        plan = self.plan
        os.makedirs(self.folder, exist_ok=True)
        try:
            with AnswersOnRecord(os.path.join(self.folder, ANSWERS), self.settings) as record:
                there = record.answers
                still = [q for q in plan.questions if not isinstance(there.get(q.key), ModelAnswer)]
                with ticking() as tell:
                    asking = ask_for_drafts(
                        self.endpoint, still, record, self.options["concurrency"], self.ceiling, tell
                    )
                drafts, spending = self._marked(record.answers), record.spending
                self._write(drafts)
        finally:
            self.endpoint.close()
        counts = counts_of(drafts)
        stored = None
        if self.options["store"] is not None:
            waits = counts["unanswered"] and not self.options["leave_unanswered"]
            stored = {"waiting": True} if waits else self._store(drafts)
        return {
            **self._about(len(plan.questions) - len(still)),
            "dry_run": False,
            "plan": None,
            "asking": asking.to_dict(),
            "spending": self._spending(spending),
            "drafts": counts,
            "decides": decided_by(self.options, drafts),
            "store": stored,
        }

    def _marked(self, answers: Mapping[str, ModelAnswer | NoAnswer]) -> list[Draft]:
        marker = DraftMarker(self.request, self.limits, self.corpus, self.search, self.topics, self.template.title)
        return marker.drafts(self.plan.questions, answers)

    def _write(self, drafts: Sequence[Draft]) -> None:
        lines = (to_json({"schema": DRAFT_SCHEMA, **draft.to_dict()}) + "\n" for draft in drafts)
        replace_file(os.path.join(self.folder, DRAFTS), (line.encode() for line in lines))

    def _store(self, drafts: Sequence[Draft]) -> dict[str, object]:
        return hand_over(self.options, drafts, self.corpus, self.template, self.search, self.settings)

    def _model(self) -> str:
        """The model's name at the endpoint, or the file of its weights and their hash."""
        name = str(self.endpoint.identity["model"])
        if self.options["endpoint"] != "local":
            return name
        from rankproof.kernel.llm import local

        return f"{os.path.basename(local.weights(self.options['model'])).removesuffix('.gguf')} {name}"

    # ---- telling -------------------------------------------------------------------------------

    def plan_document(self) -> dict[str, object]:
        """The questions that would be sent, and one of them."""
        path = os.path.join(self.folder, ANSWERS)
        answers, spending = answers_in(path, self.settings)
        still = [q for q in self.plan.questions if not isinstance(answers.get(q.key), ModelAnswer)]
        example = None if not still else {"system": still[0].prompt.system, "user": still[0].prompt.user}
        asked, answered = sum(tokens_of(q.prompt) for q in still), sum(self.ceiling.most(q.prompt)[1] for q in still)
        planned = {
            "requests": len(still),
            "tokens_asked": asked,
            "tokens_answered_at_most": answered,
            "cost": None if self.prices is None else self.prices.of(asked, answered),
            "bytes_per_token": BYTES_PER_TOKEN,
            "example": example,
        }
        return {
            **self._about(len(self.plan.questions) - len(still)),
            "dry_run": True,
            "plan": planned,
            "asking": None,
            "spending": self._spending(spending),
            "drafts": None,
            "decides": decided_by(self.options, None),
            "store": None,
        }

    def _spending(self, spending: DraftSpending) -> dict[str, object]:
        """What all commands into this folder sent, and what it cost at most."""
        return {
            "requests": spending.requests,
            "tokens_asked_at_most": spending.asked,
            "tokens_answered_at_most": spending.answered,
            "uncounted": spending.uncounted,
            "cost_at_most": None if self.prices is None else self.ceiling.price(spending),
            "currency": self.prices.currency if self.prices else "",
            "max_requests": self.ceiling.requests,
            "max_cost": self.ceiling.cost,
        }

    def _about(self, there: int) -> dict[str, object]:
        plan, request = self.plan, self.request
        kinds = [question.kind for question in plan.questions]
        return {
            "corpus": {
                "source": self.source,
                "sha256": self.corpus.content_hash,
                "documents": len(self.corpus),
                "without_text": plan.without_text,
                "repeated": plan.repeated,
                "notes": list(self.notes),
            },
            "model": {"endpoint": self.endpoint.identity["endpoint"], "name": self._model()},
            "out": self.folder,
            "questions": {
                "all": len(kinds),
                "there": there,
                "by_kind": {kind: kinds.count(kind) for kind in KINDS},
                "without_similar": plan.alone,
                "style": request.style,
                "seed": request.seed,
            },
            "strata": {"by": request.strata, "parts": [stratum.to_dict() for stratum in plan.strata]},
            "topics": len(self.topics),
            "limits": self.limits.to_dict(),
        }


def _refuse_folder(folder: str) -> None:
    refuse_output_folder(folder)
    if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(os.path.join(folder, ANSWERS)):
        raise UsageError(f"{folder} is a folder with something else in it. Name one of its own for drafts.")


def read_corpus(source: str, fields: Sequence[str]) -> tuple[Corpus, tuple[str, ...]]:
    """The documents of a file, of a folder with such a file, or of a dataset; notes on what was decided."""
    from rankproof.reading.datasets.documents import read_json_lines
    from rankproof.reading.datasets.layout import named, stem_of
    from rankproof.reading.datasets.plain import NAMES, read_collection
    from rankproof.reading.datasets.read import read_dataset

    keep = tuple(fields) or None
    path = source
    if os.path.isdir(source):
        path = named(source, "corpus.jsonl") or named(source, *NAMES) or source
    if os.path.isfile(path) or path == "-":
        ending = stem_of(os.path.basename(path))[1]
        return read_collection(path, None, keep) if ending in (".tsv", ".tab") else read_json_lines(path, None, keep)
    dataset = read_dataset(path, split="all", fields=keep)
    if dataset.corpus is None:
        raise UsageError(f"{source} has no documents to draft queries from. Give a corpus.")
    # Notes of a dataset are of its judgments too, which nobody looks at here.
    return dataset.corpus, tuple(note for note in dataset.notes if note.startswith("field "))
