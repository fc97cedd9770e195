"""Names of RAG tools for what no ranking decides: why each is refused, and what can be measured instead.

A model that reads texts gives another number tomorrow, or under another name; a similarity of texts is no judgment of a
document. Both are values of another tool, not measures of a ranking. Values that the tool has computed can be compared
nevertheless: they are scores by query.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankproof.errors import UsageError


@dataclass(frozen=True, slots=True)
class ForeignMeasure:
    """A measure of another tool that is not computed here: whose it is, what decides it, what is nearest."""

    tools: str
    decides: str
    instead: str = ""


_MODEL_PER_CONTEXT = "a model reads each retrieved text and says whether it is useful"
_MODEL_PER_CLAIM = "a model takes the reference answer apart and says which statements the retrieved texts support"
_MODEL_ON_ANSWER = "a model reads the generated answer"
_FOUND = "with judged ids the same formula is AP(denominator=relevant_retrieved)"
_SHARE = "with judged ids the share of relevant documents among those retrieved is SetP"
_RECALL = "with judged ids the share of relevant documents that were retrieved is SetR"
_TEXTS = "texts are compared by edit distance, not documents by id"

# By name without case, '_', '-' and blanks; classes are also called so with "Metric" or "Evaluator" at the end.
FOREIGN = {
    "contextprecision": ForeignMeasure("ragas", _MODEL_PER_CONTEXT, _FOUND),
    "llmcontextprecisionwithreference": ForeignMeasure("ragas", _MODEL_PER_CONTEXT, _FOUND),
    "llmcontextprecisionwithoutreference": ForeignMeasure("ragas", _MODEL_PER_CONTEXT, _FOUND),
    "contextutilization": ForeignMeasure("ragas", _MODEL_PER_CONTEXT, _FOUND),
    "contextualprecision": ForeignMeasure("deepeval", _MODEL_PER_CONTEXT, _FOUND),
    "contextrelevance": ForeignMeasure("ragas and Haystack", _MODEL_PER_CONTEXT, _SHARE),
    "contextrelevancy": ForeignMeasure("ragas and LlamaIndex", _MODEL_PER_CONTEXT, _SHARE),
    "contextualrelevancy": ForeignMeasure("deepeval", _MODEL_PER_CONTEXT, _SHARE),
    "contextrecall": ForeignMeasure("ragas", _MODEL_PER_CLAIM, _RECALL),
    "llmcontextrecall": ForeignMeasure("ragas", _MODEL_PER_CLAIM, _RECALL),
    "contextualrecall": ForeignMeasure("deepeval", _MODEL_PER_CLAIM, _RECALL),
    "contextentityrecall": ForeignMeasure("ragas", "a model finds the entities of texts", _RECALL),
    "nonllmcontextprecisionwithreference": ForeignMeasure("ragas", _TEXTS, _FOUND),
    "nonllmcontextrecall": ForeignMeasure("ragas", _TEXTS, _RECALL),
    "faithfulness": ForeignMeasure("ragas, deepeval, LlamaIndex and Haystack", _MODEL_ON_ANSWER),
    "responsegroundedness": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "answerrelevancy": ForeignMeasure("ragas, deepeval and LlamaIndex", _MODEL_ON_ANSWER),
    "answerrelevance": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "responserelevancy": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "answercorrectness": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "answeraccuracy": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "answersimilarity": ForeignMeasure("ragas", "an embedding model compares the answer with a reference"),
    "semanticsimilarity": ForeignMeasure("ragas and LlamaIndex", "an embedding model compares two answers"),
    "factualcorrectness": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "noisesensitivity": ForeignMeasure("ragas", _MODEL_ON_ANSWER),
    "hallucination": ForeignMeasure("deepeval", _MODEL_ON_ANSWER),
    "geval": ForeignMeasure("deepeval", _MODEL_ON_ANSWER),
    "summarization": ForeignMeasure("deepeval", _MODEL_ON_ANSWER),
    "toxicity": ForeignMeasure("deepeval", _MODEL_ON_ANSWER),
    "promptalignment": ForeignMeasure("deepeval", _MODEL_ON_ANSWER),
    "coherererankrelevancy": ForeignMeasure("LlamaIndex", "a reranking model scores the retrieved texts"),
}


def refuse_foreign(name: str) -> None:
    """UsageError for a name of another tool whose number no ranking decides, with what to measure instead."""
    plain = name.casefold().replace("_", "").replace("-", "").replace(" ", "")
    for ending in ("", "metric", "evaluator"):
        foreign = FOREIGN.get(plain.removesuffix(ending) if ending else plain)
        if foreign is None:
            continue
        nearest = f" For retrieval, {foreign.instead}." if foreign.instead else ""
        raise UsageError(
            f"{name} ({foreign.tools}) is not computed here: {foreign.decides}, so that judgments and a ranking do not "
            f"determine it.{nearest} To have a model judge the retrieved documents once, and measure against its "
            "judgments: `rankproof judge run`. To compare values that the tool has computed for two systems: "
            "`rankproof compare --scores A.csv B.csv`."
        )
