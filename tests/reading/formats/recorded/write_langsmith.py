"""Writes the files of langsmith/ anew, with the models of LangSmith's own SDK, offline.

    pip install langsmith==0.14.17     # into an environment of its own
    python tests/reading/formats/recorded/write_langsmith.py

What the service answers cannot be had without an account. What is recorded here is what the SDK's own models of
examples, runs and feedback (`langsmith.schemas`) write with `model_dump_json`: the records that `Client.list_examples`,
`list_runs` and `list_feedback` give. The answers and the scores are made up.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid5

from langsmith.schemas import Example, Feedback, FeedbackSourceBase, Run

HERE = Path(__file__).parent / "langsmith"
SPACE = UUID("00000000-0000-0000-0000-00000000f11e")
BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
KINDS, NOUNS = ("red", "folding", "small", "wooden"), ("lamp", "kettle", "blanket", "ladder", "mirror", "chair")
THINGS = [f"{kind} {noun}" for noun in NOUNS for kind in KINDS]


def made(*names: object) -> UUID:
    return uuid5(SPACE, "/".join(map(str, names)))


def document(at: int) -> dict[str, object]:
    """A document as LangChain's tracer keeps it."""
    return {
        "id": None, "metadata": {"doc_id": f"d{at}", "source": f"shop/{THINGS[at].split()[1]}.md"},
        "page_content": f"The {THINGS[at]} is in the shop.", "type": "Document",
    }  # fmt: skip


def examples() -> list[Example]:
    return [
        Example(
            id=made("example", at), dataset_id=made("dataset"), created_at=BEGAN, modified_at=BEGAN,
            inputs={"question": f"Do you have a {thing}?"},
            outputs={"answer": f"Yes, a {thing}.", "documents": [f"d{at}"]}, metadata={"dataset_split": ["base"]},
        )
        for at, thing in enumerate(THINGS)
    ]  # fmt: skip


def traces(system: str, share: float) -> tuple[list[Run], list[Feedback]]:
    """A trace for each example: the chain, and the retriever that it calls. One of them failed."""
    rng, runs, feedback = random.Random(system), [], []
    for at, example in enumerate(examples()):
        root, child, session = made(system, at), made(system, at, "retriever"), made(system)
        start = BEGAN + timedelta(minutes=at)
        others = [other for other in range(len(THINGS)) if other != at]
        ranking = rng.sample(others, 3)
        ranking.insert(0 if rng.random() < share else 2, at)
        failed = at == 7
        runs.append(
            Run(
                id=root, trace_id=root, name="answer", run_type="chain", start_time=start, inputs=example.inputs or {},
                end_time=start + timedelta(seconds=1 + rng.random()), session_id=session, status="success",
                outputs={"answer": f"Yes, a {THINGS[at]}."}, reference_example_id=example.id, dotted_order=f"{at:03}",
                total_tokens=rng.randint(200, 300), total_cost=Decimal("0.0012"),
                feedback_stats={"helpful": {"n": 1, "avg": float(ranking[0] == at), "values": {}}},
            )
        )  # fmt: skip
        runs.append(
            Run(
                id=child, trace_id=root, parent_run_id=root, name="VectorStoreRetriever", run_type="retriever",
                start_time=start, end_time=start + timedelta(milliseconds=80), session_id=session,
                inputs={"query": THINGS[at]}, error="TimeoutError()" if failed else None,
                outputs=None if failed else {"documents": [document(one) for one in ranking]},
                dotted_order=f"{at:03}.1",
            )
        )  # fmt: skip
        judged = {"faithfulness": round(0.5 + 0.4 * (ranking[0] == at) + rng.random() / 10, 3), "tone": "friendly"}
        for key, value in judged.items():
            score = {"score": value} if isinstance(value, float) else {"value": value}
            feedback.append(
                Feedback(
                    id=made(system, at, key), run_id=root, trace_id=root, key=key, created_at=start, modified_at=start,
                    session_id=session, feedback_source=FeedbackSourceBase(type="model"), comment="as judged", **score,
                )
            )  # fmt: skip
    return runs, feedback


def main() -> None:
    HERE.mkdir(exist_ok=True)
    (HERE / "dataset.jsonl").write_text("".join(f"{one.model_dump_json()}\n" for one in examples()))
    for system, share in (("before", 0.4), ("after", 0.95)):
        runs, feedback = traces(system, share)
        lines = [one.model_dump_json() for one in (*runs, *feedback)]
        (HERE / f"{system}.jsonl").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
