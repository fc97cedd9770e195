"""Lets ragas 0.4.3 write the files in ragas/: datasets and results of two systems, a test set and a conversation.

    python -m venv venv && venv/bin/pip install ragas==0.4.3 'langchain-community<0.4'
    venv/bin/python write_ragas.py

The judge of its model metric is scripted: it knows which pages are right, and refuses one question, as models do. The
other metrics compare ids and texts. Nothing is sent anywhere.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

from langchain_core.outputs import Generation, LLMResult
from ragas import EvaluationDataset, MultiTurnSample, RunConfig, SingleTurnSample, evaluate
from ragas.llms.base import BaseRagasLLM
from ragas.messages import AIMessage, HumanMessage
from ragas.metrics import ExactMatch, IDBasedContextRecall, LLMContextPrecisionWithReference
from ragas.testset.synthesizers.multi_hop.base import MultiHopQuerySynthesizer
from ragas.testset.synthesizers.testset_schema import Testset, TestsetSample
from shop import PAGES, QUESTIONS, SYSTEMS, answer, retrieve

OUT = Path(__file__).resolve().parent / "ragas"
REFUSED = "Do you sell my address?"


class ScriptedJudge(BaseRagasLLM):
    """Says 1 to a right page and 0 to a wrong one."""

    def generate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        text = prompt.to_string()
        asked = text[text.rindex('"question"') :]
        question = next(q for q in QUESTIONS if q in asked)
        if question == REFUSED:
            raise ValueError("the judge refused to answer")
        right = any(PAGES[name] in asked for name in QUESTIONS[question][1])
        said = f'{{"reason": "scripted", "verdict": {int(right)}}}'
        return LLMResult(generations=[[Generation(text=said)] * n])

    async def agenerate_text(self, prompt, n=1, temperature=0.01, stop=None, callbacks=None):
        return self.generate_text(prompt, n, temperature, stop, callbacks)

    def is_finished(self, response):
        return True


def sample(system: str, question: str, ids: bool) -> SingleTurnSample:
    expected, gold = QUESTIONS[question]
    pages = retrieve(system, question)
    named = {"retrieved_context_ids": pages, "reference_context_ids": gold} if ids else {}
    return SingleTurnSample(
        user_input=question,
        retrieved_contexts=[PAGES[name] for name in pages],
        reference_contexts=[PAGES[name] for name in gold],
        response=answer(system, question),
        reference=expected,
        **named,
    )


def dataset(system: str, ids: bool) -> EvaluationDataset:
    return EvaluationDataset(samples=[sample(system, question, ids) for question in QUESTIONS])


def results(system: str) -> None:
    """A result as people keep it: the frame written as CSV, as JSON lines and as pandas writes JSON by itself."""
    judge = ScriptedJudge(run_config=RunConfig(max_retries=1))
    result = evaluate(
        dataset(system, ids=True),
        metrics=[LLMContextPrecisionWithReference(), IDBasedContextRecall(), ExactMatch()],
        llm=judge,
        run_config=RunConfig(max_retries=1, max_workers=1),
        show_progress=False,
    )
    frame = result.to_pandas()
    frame.to_csv(OUT / f"{system}.csv", index=False)
    if system == "after":
        frame.to_json(OUT / "after.jsonl", orient="records", lines=True)
        frame.to_json(OUT / "after.json")


def testset() -> None:
    """A test set, whose questions over several pages have a mark before each page."""
    samples = []
    for question, (expected, gold) in QUESTIONS.items():
        nodes = [SimpleNamespace(properties={"page_content": PAGES[name]}) for name in gold]
        texts = MultiHopQuerySynthesizer.make_contexts(None, SimpleNamespace(nodes=nodes))
        single = len(gold) == 1
        made = SingleTurnSample(
            user_input=question,
            reference=expected,
            reference_contexts=[PAGES[gold[0]]] if single else texts,
            persona_name="a customer",
        )
        by = "single_hop_specific_query_synthesizer" if single else "multi_hop_specific_query_synthesizer"
        samples.append(TestsetSample(eval_sample=made, synthesizer_name=by))
    made = Testset(samples=samples)
    made.to_csv(OUT / "testset.csv")
    made.to_jsonl(OUT / "testset.jsonl")


def conversation() -> None:
    talk = [HumanMessage(content="Can I return goods?"), AIMessage(content="Yes, within 30 days.")]
    EvaluationDataset(samples=[MultiTurnSample(user_input=talk, reference="Yes.")]).to_jsonl(OUT / "conversation.jsonl")


if __name__ == "__main__":
    assert version("ragas") == "0.4.3", version("ragas")
    OUT.mkdir(exist_ok=True)
    for name in SYSTEMS:
        dataset(name, ids=False).to_jsonl(OUT / f"dataset-{name}.jsonl")
        results(name)
    dataset("after", ids=False).to_csv(OUT / "dataset-after.csv")
    dataset("after", ids=True).to_jsonl(OUT / "dataset-ids.jsonl")
    testset()
    conversation()
