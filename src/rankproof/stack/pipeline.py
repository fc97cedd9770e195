"""Pipelines: their text is read into steps, and the steps of several run over the same queries, each step once.

Steps that do not fit are refused before anything runs; what a stage promises is checked on every query.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.llm.answer import NO_USAGE, Usage
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import Call, call_of, parse_expression, shown_options
from rankproof.kernel.specs.tables import read_params
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground, ModeOutcome, Step, StepOutcome
from rankproof.stack.stages.contract import Stage

if TYPE_CHECKING:
    from rankproof.stack.engines.contract import Asker


def read_pipeline(text: str, named: Mapping[str, Step] | None = None) -> Step:
    """The pipeline that a text describes. `named` are pipelines that a bare name may stand for."""
    try:
        tree = parse_expression(text)
    except ValueError as error:
        raise UsageError(
            f"The pipeline {text!r} cannot be read{error}. Write it as: bm25(k1=0.9) >> cutoff(depth=100)"
        ) from None
    step = _PipelineReader(text, named or {}).step(tree, None)
    if step.shelf == "stages" and shelf.find("stages", step.name).takes == "query":
        raise UsageError(f"The pipeline {text!r} rewrites queries and asks no engine. Put an engine after it.")
    return step


class _PipelineReader:
    def __init__(self, text: str, named: Mapping[str, Step]) -> None:
        self.text, self.named = text, named

    def refuse(self, why: str) -> UsageError:
        return UsageError(f"The pipeline {self.text!r}: {why}")

    def step(self, tree: ast.expr, before: Step | None) -> Step:
        """One node of the tree; `before` is what flows into it."""
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.RShift):
            return self.step(tree.right, self.step(tree.left, before))
        if isinstance(tree, ast.Name) and tree.id in self.named:
            if before is not None:
                raise self.refuse(f"nothing can flow into {tree.id!r}, which is a whole pipeline.")
            return self.named[tree.id]
        try:
            call = call_of(tree)
        except ValueError as error:
            raise self.refuse(f"{str(error)!r} is no value: numbers, 'texts', lists, True and False are.") from None
        if call is None:
            raise self.refuse("its steps are names with options as name=value, such as bm25(k1=0.9), joined by >>.")
        return self.called(call, before)

    def called(self, call: Call, before: Step | None) -> Step:
        name = call.name
        kind, item = self.item(name)
        inputs = tuple(self.step(tree, None) for tree in call.inputs)
        if before is not None:
            inputs = (before, *inputs)
        place = f"The pipeline {self.text!r}: {name}"
        values = read_params(call.options, item.params, place, noun=f"option of {name}")
        self.refuse_misfit(name, item, inputs)
        if isinstance(item, Stage) and item.misfit is not None and (why := item.misfit(values, len(inputs))):
            raise self.refuse(why)
        if isinstance(item, Stage) and item.asks is not None and values[item.asks] is not None:
            inputs = tuple(_asked_for(step, values[item.asks]) for step in inputs)
        shown = shown_options(item.params, values)
        return Step(kind, name, values, shown, inputs, isinstance(item, Stage) and item.takes == "many")

    def item(self, name: str) -> tuple[Literal["engines", "stages"], Engine | Stage]:
        engines, stages = shelf.everything("engines"), shelf.everything("stages")
        if name in engines:
            return "engines", engines[name]
        if name in stages:
            return "stages", stages[name]
        raise UnknownName("engine, stage or mode", name, [*engines, *stages, *self.named])

    def refuse_misfit(self, name: str, item: Engine | Stage, inputs: tuple[Step, ...]) -> None:
        """What flows in must be what the item takes."""
        rewrites = [step for step in inputs if step.shelf == "stages" and _takes(step) == "query"]
        if isinstance(item, Engine):
            if len(inputs) > 1 or len(rewrites) != len(inputs):
                raise self.refuse(f"the engine {name} begins a pipeline; only a rewrite of queries may come before it.")
            return
        if item.takes == "query":
            if len(rewrites) != len(inputs) or len(inputs) > 1:
                raise self.refuse(f"{name} rewrites queries, so it comes before the engine.")
            return
        if rewrites:
            raise self.refuse(f"{rewrites[0].name} rewrites queries, so an engine must follow it before {name}.")
        if item.takes == "one" and len(inputs) != 1:
            flow = "nothing flows" if not inputs else f"{counted(len(inputs), 'pipeline')} flow"
            raise self.refuse(f"{name} takes one ranking and {flow} into it. Put it after an engine, with >>.")
        if item.takes == "many" and len(inputs) < 2:
            raise self.refuse(f"{name} takes two or more pipelines: {name}(bm25(), dense()).")


def _asked_for(step: Step, depth: int) -> Step:
    """The pipeline with its engines asked for so many documents; a stage nearer to an engine has said it already."""
    if step.shelf == "engines":
        return step if step.depth is not None else replace(step, depth=depth)
    return replace(step, inputs=tuple(_asked_for(before, depth) for before in step.inputs))


def _takes(step: Step) -> str:
    takes: str = shelf.find("stages", step.name).takes
    return takes


def asks_live_engine(pipeline: Step) -> bool:
    """Whether one of its engines is asked over a network."""
    return any(step.shelf == "engines" and shelf.find("engines", step.name).live for step in pipeline.steps())


def refuse_breach(
    stage: Stage, step: Step, queries: Sequence[Query], before: Sequence[Ranking], after: Sequence[Ranking]
) -> None:
    """An error at the first query where a stage did not keep its promise: its numbers would mean something else."""
    depth = None if stage.depth is None else int(step.values[stage.depth])
    for query, incoming, outgoing in zip(queries, before, after, strict=True):
        why = breach(stage, depth, incoming.doc_ids, outgoing.doc_ids)
        if why:
            raise InputError(
                f"{step.name} broke its promise for query {query.query_id!r}: {why}. "
                "This is a fault of the stage, not of the data; its rankings were dropped."
            )


def breach(stage: Stage, depth: int | None, before: Sequence[str], after: Sequence[str]) -> str:
    """What a stage did that it promised not to do; "" where it did nothing of the kind."""
    if stage.keeps == "head" and tuple(after) != tuple(before[: len(after)]):
        return "it may only cut, but gave other documents or another order"
    if stage.keeps != "set":
        return ""
    lost, new = set(before) - set(after), set(after) - set(before)
    if lost or new or len(before) != len(after):
        fault = f"lost {sorted(lost)[0]!r}" if lost else f"brought {sorted(new)[0]!r}" if new else "repeated a document"
        return f"a rerank keeps the documents it is given, but it {fault}"
    if depth is None:
        return ""
    if set(before[:depth]) != set(after[:depth]) or tuple(before[depth:]) != tuple(after[depth:]):
        moved = next(doc for doc, other in zip(before[depth:], after[depth:], strict=True) if doc != other)
        return f"it reorders the first {depth} only, but {moved!r} moved below them"
    return ""


# Asks a live engine all queries and gives what came, with times and failures.
AskAll = Callable[["Asker", Step, Sequence[Query], int], StepOutcome]


class Runner:
    """Runs pipelines. Results are held in memory: a pipeline that begins like another only runs what is new."""

    def __init__(
        self,
        queries: Sequence[Query],
        depth: int,
        ground: Ground,
        ask_all: AskAll | None = None,
        progress: Progress = silent,
    ) -> None:
        self.queries, self.depth, self.ground = tuple(queries), depth, ground
        self._ask_all, self._progress = ask_all, progress
        self._done: dict[str, StepOutcome] = {}
        self._opened: dict[str, Any] = {}
        self._words: dict[str, tuple[Query, ...]] = {}  # what rewrites gave, by the key of the step

    def open(self, pipelines: Sequence[Step]) -> None:
        """Opens every item of every pipeline: what is missing or wrong is reported before the first query."""
        for pipeline in pipelines:
            for step in pipeline.steps():
                self._open(step)
                self._refuse_inputs(step)

    def close(self) -> None:
        """Gives back what live engines and model servers hold."""
        for opened in self._opened.values():
            if hasattr(opened, "close"):
                opened.close()

    def item(self, step: Step) -> Any:
        """The engine or stage of a step, opened."""
        return self._open(step)

    def words(self, step: Step) -> tuple[Query, ...]:
        """The queries as a rewrite gave them when it ran."""
        return self._words[step.key]

    def run(self, name: str, pipeline: Step) -> ModeOutcome:
        """One pipeline over all queries."""
        outcomes = {step.key: self._outcome(step) for step in pipeline.steps()}
        return ModeOutcome(
            name, pipeline, tuple(q.query_id for q in self.queries), tuple(outcomes.values()), self.depth
        )

    def identity(self, pipeline: Step) -> list[Mapping[str, str]]:
        """What the answers of each step depend on besides its parameters, as far as its item says."""
        return [dict(self._open(step).identity) for step in pipeline.steps()]

    def forget(self, but: Sequence[Step]) -> None:
        """Drops results and open items of all other pipelines: a long search must not fill memory."""
        steps = [step for pipeline in but for step in pipeline.steps()]
        keys, used = {step.key for step in steps}, {_item(step) for step in steps}
        self._done = {key: outcome for key, outcome in self._done.items() if key in keys}
        self._words = {key: queries for key, queries in self._words.items() if key in keys}
        for key in [key for key in self._opened if key not in used]:
            opened = self._opened.pop(key)
            if hasattr(opened, "close"):
                opened.close()

    def asking(self, queries: Sequence[Query]) -> Runner:
        """A runner over other queries that shares the items opened here. Only one of the two is closed."""
        other = Runner(queries, self.depth, self.ground, self._ask_all, self._progress)
        other._opened = self._opened
        return other

    # ---- one step ------------------------------------------------------------------------------

    def _open(self, step: Step) -> Any:
        key = _item(step)
        if key not in self._opened:
            self._opened[key] = shelf.find(step.shelf, step.name).open(step.values, self.ground)
        return self._opened[key]

    def _refuse_inputs(self, step: Step) -> None:
        """For a stage that was trained for what flows into it: an error where that is something else."""
        opened = self._open(step)
        if step.inputs and hasattr(opened, "refuse_inputs"):
            opened.refuse_inputs(step.inputs, self.depth, [self.identity(before) for before in step.inputs])

    def _outcome(self, step: Step) -> StepOutcome:
        if step.key not in self._done:
            outcome = self._engine(step) if step.shelf == "engines" else self._stage(step)
            self._done[step.key] = replace(outcome, notes=dict(getattr(self._open(step), "notes", {})))
        return self._done[step.key]

    def _engine(self, step: Step) -> StepOutcome:
        engine: Engine = shelf.find("engines", step.name)
        queries: Sequence[Query] = self.queries
        if step.inputs:
            self._outcome(step.inputs[0])
            queries = self._words[step.inputs[0].key]
        opened, depth = self._open(step), self.depth if step.depth is None else step.depth
        if engine.live:
            assert self._ask_all is not None, "a live engine needs a function that asks it"
            return self._ask_all(opened, step, queries, depth)
        # What is built or loaded at first is not the time of a query.
        if hasattr(opened, "prepare"):
            opened.prepare()
        if queries:
            opened.search([queries[0]], depth)
        return self._timed(step, queries, opened.identity, lambda at: Passed(opened.search([queries[at]], depth)[0]))

    def _stage(self, step: Step) -> StepOutcome:
        stage: Stage = shelf.find("stages", step.name)
        if stage.takes == "query":
            return self._rewrite(step)
        self._refuse_inputs(step)
        before = [self._outcome(flowing).rankings for flowing in step.inputs]
        opened = self._open(step)
        if hasattr(opened, "prepare"):
            opened.prepare(self.queries, [list(rankings) for rankings in zip(*before, strict=True)])

        def one(at: int) -> Passed:
            flowing = [rankings[at] for rankings in before]
            passed: Passed = opened.apply([self.queries[at]], [flowing])[0]
            return _with_texts(passed, flowing)

        outcome = self._timed(step, self.queries, opened.identity, one)
        if stage.takes == "one":
            refuse_breach(stage, step, self.queries, before[0], outcome.rankings)
        return outcome

    def _timed(
        self,
        step: Step,
        queries: Sequence[Query],
        identity: Mapping[str, str],
        one: Callable[[int], Passed],
    ) -> StepOutcome:
        """One query after the other, as a service would answer them: the times are those of single queries."""
        rankings: list[Ranking] = []
        failures: list[Failure] = []
        usage: list[Usage] = []
        times = np.full(len(queries), math.nan)
        for at in range(len(queries)):
            began = time.perf_counter()
            passed = one(at)
            if not passed.kept:  # what came from a cache took no time that means anything
                times[at] = 1000 * (time.perf_counter() - began) + passed.saved
            rankings.append(passed.ranking)
            failures += passed.failures
            usage.append(passed.usage)
            self._progress(f"{step.name}: query", at + 1, len(queries))
        return StepOutcome(step, tuple(rankings), times, tuple(failures), dict(identity), usage=tuple(usage))

    def _rewrite(self, step: Step) -> StepOutcome:
        """The queries as a rewrite gives them, after those before it; they are held for the engine that follows."""
        if step.inputs:
            self._outcome(step.inputs[0])
        before = self._words[step.inputs[0].key] if step.inputs else self.queries
        opened = self._open(step)
        words: list[Query] = []
        times = np.full(len(before), math.nan)
        for at, query in enumerate(before):
            began = time.perf_counter()
            (rewritten,) = opened.rewrite([query])
            if not getattr(rewritten, "kept", False):
                times[at] = 1000 * (time.perf_counter() - began)
            words.append(rewritten)
            self._progress(f"{step.name}: query", at + 1, len(before))
        self._words[step.key] = tuple(words)
        failures = tuple(failure for query in words for failure in getattr(query, "failures", ()))
        usage = tuple(getattr(query, "usage", NO_USAGE) for query in words)
        return StepOutcome(step, (), times, failures, dict(opened.identity), usage=usage)


def _with_texts(passed: Passed, flowing: Sequence[Ranking]) -> Passed:
    """What stands for a document's text goes on with it, whatever stages the document flows through."""
    if passed.ranking.text_ids or not any(ranking.text_ids for ranking in flowing):
        return passed
    texts = {doc: text for ranking in reversed(flowing) for doc, text in ranking.text_ids.items()}
    own = {doc: texts[doc] for doc in passed.ranking.doc_ids if doc in texts}
    return replace(passed, ranking=replace(passed.ranking, text_ids=own))


def _item(step: Step) -> str:
    """What is opened once: an item with its values, whatever flows into it."""
    return f"{step.shelf} {step.name} {sorted(step.values.items(), key=str)}"
