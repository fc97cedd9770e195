"""Reads the text of a pipeline into its steps; steps that do not fit are refused before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Literal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import Call, call_of, parse_expression, shown_options
from rankproof.kernel.specs.tables import read_params
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Step
from rankproof.stack.stages.contract import Stage


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


def _takes(step: Step) -> str:
    takes: str = shelf.find("stages", step.name).takes
    return takes
