"""The loop of a project as steps: what is there, what is done, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankproof.judging.inbox import list_inbox
from rankproof.judging.rounds.closed import is_closed
from rankproof.judging.rounds.hand_out import assignments_answered
from rankproof.kernel.sections import counted

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store

StepName = Literal["add", "hand_out", "judge", "model", "inbox", "close", "settle", "export", "evaluate"]
StepState = Literal["done", "open", "optional"]


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A step of the loop.

    state    "optional": nothing waits for it
    facts    how things are, each in a few words
    path     of its page, below the project's
    command  and call: the same by the command line and by the API
    """

    name: StepName
    title: str
    state: StepState
    facts: tuple[str, ...]
    path: str
    command: str
    call: str

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "state": self.state,
            "facts": list(self.facts),
            "command": self.command,
            "call": self.call,
        }


def loop_steps(store: Store, project: Project) -> tuple[LoopStep, ...]:
    """Every step of a project, in order."""
    slug = project.slug
    items, runs = store.items.count(slug), store.runs.all(slug)
    handed = assignments_answered(store, project)
    asked, answered = sum(one.asked for one in handed), sum(one.answered for one in handed)
    held = store.judgments.current(slug)
    people = [act for act in held if act.source.kind == "person" and act.reason != "later"]
    judged = {(act.query_id, act.doc_id) for act in people}
    waits = list_inbox(store, project, limit=0).waiting
    waiting, split = sum(waits.values()), waits["disagreement"]
    closed, job = is_closed(store, slug), store.jobs.newest(slug)
    full = bool(items.queries and runs)
    finished = bool(judged) and answered == asked
    at = f"rankproof judgments {{}} STORE -p {slug}"
    api = f"/api/v1/projects/{slug}/"
    return (
        LoopStep(
            "add", "Add queries, documents and runs", "done" if full else "open",
            (counted(items.queries, "query", "queries"), counted(items.documents, "document"),
             counted(len(runs), "run")),
            "project/files", at.format("add") + " --dataset FOLDER --run FILE", f"POST {api}files",
        ),
        LoopStep(
            "hand_out", "Choose what is judged, and by whom", "done" if asked else "open",
            (counted(asked, "pair") + " handed out", counted(len(handed), "judge")) if asked
            else ("Nothing is handed out: judges share what the project's selection picks",),
            "project/hand-out", at.format("assign") + " --judges ana,bo --pairs 100", f"POST {api}assignments",
        ),
        LoopStep(
            "judge", "Judge", "done" if finished else "open",
            tuple(f"{one.judge or 'anybody'}: {one.answered:,} of {one.asked:,}" for one in handed[:12])
            or (counted(len(judged), "pair") + " judged",),
            "judge", at.format("show"), f"POST {api}judgments",
        ),
        LoopStep(
            "model", "Let a model judge too", "optional",
            ("No model has judged",) if job is None else (f"{job.state}: {job.done:,} of {job.total:,} questions",),
            "project/models", "rankproof judge run STORE --endpoint URL --model NAME --max-cost 5",
            f"POST {api}model-judging",
        ),
        LoopStep(
            "inbox", "Look at what waits in the inbox", "done" if judged and not waiting else "open",
            (counted(waiting, "item waits", "items wait"),),
            "inbox", at.format("inbox"), f"GET {api}inbox",
        ),
        LoopStep(
            "close", "Close the round", "done" if closed else "open",
            ("Closed: judges may see the results",) if closed else ("Open: judges see their own work only",),
            "project#close", at.format("close"), f"PUT {api}round",
        ),
        LoopStep(
            "settle", "Settle disagreements", "done" if judged and not split else "open",
            (counted(split, "disagreement") + " open",),
            "settle", at.format("adjudicate"), f"POST {api}inbox",
        ),
        LoopStep(
            "export", "Export the judgments", "optional",
            (counted(len(judged), "pair") + " to export",),
            "transfer", at.format("export").replace(" -p", " qrels.trec -p"), f"GET {api}qrels",
        ),
        LoopStep(
            "evaluate", "Evaluate the runs", "optional",
            (counted(len(runs), "run") + " to measure",),
            "project/results", "rankproof evaluate qrels.trec RUN ...", f"GET {api}results",
        ),
    )  # fmt: skip


def next_step(steps: Sequence[LoopStep]) -> LoopStep:
    """The first step that waits; when none does, the last one of all."""
    return next((step for step in steps if step.state == "open"), steps[-1])
