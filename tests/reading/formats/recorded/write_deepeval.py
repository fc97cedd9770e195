"""Lets deepeval 4.3.1 write the files in deepeval/: test runs of two systems, and goldens as JSON, CSV and JSON lines.

    python -m venv venv && venv/bin/pip install deepeval==4.3.1
    venv/bin/python write_deepeval.py

The judge of its model metric is scripted: it knows which pages are right, and refuses one question, as models do. The
other metric is a comparison of texts. Nothing is sent anywhere.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_NO_INSPECT_PROMPT": "1", "ERROR_REPORTING": "NO"}

import deepeval
from deepeval.dataset import EvaluationDataset, Golden
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import ContextualPrecisionMetric, ExactMatchMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase
from shop import PAGES, QUESTIONS, SYSTEMS, answer, retrieve

OUT = Path(__file__).resolve().parent / "deepeval"
REFUSED = "Do you sell my address?"


class ScriptedJudge(DeepEvalBaseLLM):
    """Says yes to the right pages, in the order in which they stand in the prompt."""

    def load_model(self):
        return self

    def get_model_name(self):
        return "scripted-judge"

    def generate(self, prompt, schema=None):
        question = next(q for q in QUESTIONS if q in prompt)
        if question == REFUSED:
            raise ValueError("the judge refused to answer")
        right = {PAGES[name] for name in QUESTIONS[question][1]}
        asked = sorted((page for page in PAGES.values() if page in prompt), key=prompt.index)
        verdicts = [{"verdict": "yes" if page in right else "no", "reason": "scripted"} for page in asked]
        return schema(verdicts=verdicts)

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)


def test_case(system: str, number: int, question: str) -> LLMTestCase:
    expected, gold = QUESTIONS[question]
    return LLMTestCase(
        name=f"question {number}",
        input=question,
        actual_output=answer(system, question),
        expected_output=expected,
        retrieval_context=[PAGES[name] for name in retrieve(system, question)],
        context=[PAGES[name] for name in gold],
    )


def test_run(system: str) -> None:
    """Evaluates one system; the test run that deepeval exports becomes deepeval/<system>.json."""
    folder = Path(tempfile.mkdtemp())
    deepeval.evaluate(
        test_cases=[test_case(system, number, question) for number, question in enumerate(QUESTIONS, 1)],
        metrics=[
            ContextualPrecisionMetric(model=ScriptedJudge(), include_reason=False, async_mode=False),
            ExactMatchMetric(),
        ],
        identifier=system,
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(
            show_indicator=False, print_results=False, inspect_after_run=False, results_folder=str(folder)
        ),
        cache_config=CacheConfig(write_cache=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    (written,) = folder.glob("test_run_*.json")
    shutil.move(written, OUT / f"{system}.json")


def goldens() -> None:
    """A dataset as deepeval saves it: the contexts of a golden are its gold."""
    made = EvaluationDataset(
        goldens=[
            Golden(
                input=question,
                expected_output=expected,
                context=[PAGES[name] for name in gold],
                retrieval_context=[PAGES[name] for name in retrieve("after", question)],
            )
            for question, (expected, gold) in QUESTIONS.items()
        ]
    )
    for kind in ("json", "csv", "jsonl"):
        made.save_as(kind, str(OUT), file_name="goldens")


if __name__ == "__main__":
    assert deepeval.__version__ == "4.3.1", deepeval.__version__
    OUT.mkdir(exist_ok=True)
    os.chdir(tempfile.mkdtemp())  # deepeval leaves a hidden folder where it runs
    for name in SYSTEMS:
        test_run(name)
    goldens()
