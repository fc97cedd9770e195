"""Reading: the text of a pipeline to its steps; what does not fit is refused before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Literal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs import REQUIRED, Param
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Step
from rankproof.stack.stages.contract import Stage


def read_pipeline(text: str, named: Mapping[str, Step] | None = None) -> Step:
    """The pipeline that a text describes. `named` are pipelines that a bare name may stand for."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        place = f" near character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise UsageError(
            f"The pipeline {text!r} cannot be read{place}. Write it as: bm25(k1=0.9) >> cutoff(depth=100)"
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
        if isinstance(tree, ast.Name):
            if tree.id in self.named:
                if before is not None:
                    raise self.refuse(f"nothing can flow into {tree.id!r}, which is a whole pipeline.")
                return self.named[tree.id]
            return self.call(tree.id, [], {}, before)
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            if any(keyword.arg is None for keyword in tree.keywords):
                raise self.refuse("choices are written as name=value.")
            values = {str(keyword.arg): self.literal(keyword.value) for keyword in tree.keywords}
            return self.call(tree.func.id, tree.args, values, before)
        raise self.refuse("its steps are names with choices, such as bm25(k1=0.9), joined by >>.")

    def literal(self, tree: ast.expr) -> Any:
        try:
            return ast.literal_eval(tree)
        except (ValueError, TypeError, SyntaxError):
            raise self.refuse(
                f"{ast.unparse(tree)!r} is no value: numbers, 'texts', lists, True and False are."
            ) from None

    def call(self, name: str, flowing: list[ast.expr], said: dict[str, Any], before: Step | None) -> Step:
        kind, item = self.item(name)
        inputs = tuple(self.step(tree, None) for tree in flowing)
        if before is not None:
            inputs = (before, *inputs)
        values = self.values(name, item.params, said)
        self.refuse_misfit(name, item, inputs)
        if isinstance(item, Stage) and item.misfit is not None and (why := item.misfit(values, len(inputs))):
            raise self.refuse(why)
        shown = {p.name: _shown(values[p.name]) for p in item.params if values[p.name] != p.default}
        return Step(kind, name, values, shown, inputs, isinstance(item, Stage) and item.takes == "many")

    def item(self, name: str) -> tuple[Literal["engines", "stages"], Engine | Stage]:
        engines, stages = shelf.everything("engines"), shelf.everything("stages")
        if name in engines:
            return "engines", engines[name]
        if name in stages:
            return "stages", stages[name]
        raise UnknownName("engine, stage or mode", name, [*engines, *stages, *self.named])

    def values(self, name: str, params: tuple[Param, ...], said: dict[str, Any]) -> dict[str, Any]:
        known = {param.name: param for param in params}
        for key in said:
            if key not in known:
                raise UnknownName(f"choice of {name}", key, known)
        found = {}
        for param in params:
            if param.name not in said:
                if param.default is REQUIRED:
                    raise self.refuse(f"{name} needs {param.name}: {param.meaning}.")
                found[param.name] = param.default
                continue
            try:
                found[param.name] = param.kind.read(said[param.name])
            except ValueError as error:
                raise self.refuse(f"{param.name} of {name} {error}.") from None
        return found

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
            came = "nothing" if not inputs else f"{len(inputs)} pipelines"
            raise self.refuse(f"{name} takes one ranking and {came} flows into it. Put it after an engine, with >>.")
        if item.takes == "many" and len(inputs) < 2:
            raise self.refuse(f"{name} takes two or more pipelines: {name}(bm25(), dense()).")


def _takes(step: Step) -> str:
    takes: str = shelf.find("stages", step.name).takes
    return takes


def _shown(value: Any) -> str:
    """A value as the text has it."""
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
