"""Writes the files of langfuse/ anew, with the models of Langfuse's own SDK, offline.

    pip install langfuse==5.0.4     # into an environment of its own
    python tests/reading/formats/recorded/write_langfuse.py

What the service answers cannot be had without an account. dataset.json, before.jsonl and after.jsonl are what the SDK's
own models (`langfuse.api`) write: a page of dataset items as the API answers it; observations, experiment items and
scores as JSON lines, as `get_many` gives them. blob.jsonl is not written by the tool: its names with underscores and
its times are after the published field reference of the export to a blob storage, and its inputs and outputs are texts
of JSON, which is read as well as JSON itself. All content is made up.
"""

from __future__ import annotations

import json
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from langfuse.api import (
    DatasetItem,
    ExperimentItem,
    ObservationV2,
    PaginatedDatasetItems,
    Score_Categorical,
    Score_Numeric,
)
from langfuse.api.utils.pagination.types.meta_response import MetaResponse

HERE = Path(__file__).parent / "langfuse"
BEGAN = datetime(2026, 1, 5, 9, tzinfo=UTC)
KINDS, NOUNS = ("red", "folding", "small", "wooden"), ("lamp", "kettle", "blanket", "ladder", "mirror", "chair")
THINGS = [f"{kind} {noun}" for noun in NOUNS for kind in KINDS]


def items() -> list[DatasetItem]:
    return [
        DatasetItem(
            id=f"item-{at}", status="ARCHIVED" if at == 23 else "ACTIVE", input={"question": f"Do you have a {thing}?"},
            expected_output={"answer": f"Yes, a {thing}.", "document_ids": [f"d{at}"]}, metadata={},
            dataset_id="ds-1", dataset_name="shop", created_at=BEGAN, updated_at=BEGAN, media_references=[],
        )
        for at, thing in enumerate(THINGS)
    ]  # fmt: skip


def traces(system: str, share: float) -> list[object]:
    """A trace for each item: its experiment item, the retriever's observation, two scores. One of them failed."""
    rng, found = random.Random(system), []
    for at, item in enumerate(items()[:23]):
        trace, start = f"{system}-{at}", BEGAN + timedelta(minutes=at)
        ranking = rng.sample([other for other in range(len(THINGS)) if other != at], 3)
        ranking.insert(0 if rng.random() < share else 2, at)
        failed = at == 7
        end = start + timedelta(seconds=1 + rng.random())
        found.append(
            ExperimentItem(
                id=f"{trace}-root", trace_id=trace, start_time=start, end_time=end, level="DEFAULT",
                environment="default", experiment_id=f"exp-{system}", experiment_name=system,
                experiment_item_id=item.id, experiment_dataset_id="ds-1", input=item.input,
                output={"answer": f"Yes, a {THINGS[at]}."},
            )
        )  # fmt: skip
        found.append(
            ObservationV2(
                id=f"{trace}-search", trace_id=trace, parent_observation_id=f"{trace}-root", project_id="p1",
                start_time=start, end_time=start + timedelta(milliseconds=80), type="RETRIEVER", name="search",
                level="ERROR" if failed else "DEFAULT", status_message="timeout" if failed else None,
                input={"query": THINGS[at]},
                output=None if failed else [
                    {"metadata": {"doc_id": f"d{one}", "source": f"shop/{THINGS[one].split()[1]}.md"},
                     "page_content": f"The {THINGS[one]} is in the shop.", "type": "Document"} for one in ranking
                ],
            )
        )  # fmt: skip
        about = {
            "trace_id": trace, "timestamp": end, "created_at": end, "updated_at": end, "environment": "default",
            "source": "EVAL", "comment": "as judged",
        }  # fmt: skip
        value = round(0.5 + 0.4 * (ranking[0] == at) + rng.random() / 10, 3)
        found.append(Score_Numeric(id=f"{trace}-s1", name="faithfulness", value=value, **about))
        found.append(Score_Categorical(id=f"{trace}-s2", name="tone", value=1.0, string_value="friendly", **about))
    return found


def snake(record: dict[str, object]) -> dict[str, object]:
    """A line of the export to a blob storage."""
    line = {re.sub("(?=[A-Z])", "_", key).lower(): value for key, value in record.items()}
    kept = {key: json.dumps(line[key]) if line[key] is not None else None for key in ("input", "output")}
    times = {
        key: f"{datetime.fromisoformat(str(line[key])):%Y-%m-%d %H:%M:%S.%f}" for key in ("start_time", "end_time")
    }
    return {**line, **kept, **times}


def main() -> None:
    HERE.mkdir(exist_ok=True)
    page = PaginatedDatasetItems(data=items(), meta=MetaResponse(page=1, limit=50, total_items=24, total_pages=1))
    (HERE / "dataset.json").write_text(page.json(by_alias=True) + "\n")
    for system, share in (("before", 0.4), ("after", 0.95)):
        found = traces(system, share)
        (HERE / f"{system}.jsonl").write_text("".join(f"{one.json(by_alias=True)}\n" for one in found))
    searches = [one for one in traces("after", 0.95) if isinstance(one, ObservationV2)]
    lines = [json.dumps(snake(json.loads(one.json(by_alias=True)))) for one in searches[:4]]
    (HERE / "blob.jsonl").write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
