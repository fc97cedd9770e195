"""The public names for people who add an item to rankproof from a package of their own.

An item is a measure, a format, a rule, ...: a value whose class stands first in its group below. Put it into a module
that ends in `OFFERS = (item, ...)`, and name the module in an entry point of the group `rankproof.measures`,
`rankproof.rules`, ... `rankproof.testing.check_item` says what an item still lacks, and `rankproof.testing` has small
tables and texts to try it on. The pages in docs/adding show one of each; docs/adding/package.md shows the package.

Parameters of any item:
    Param, REQUIRED, Kind, Number, Whole, Choice, Flag, Text, Texts, Numbers, Optional, Path, OptionValues.
Errors:
    RankproofError, UsageError, UnknownName, MissingExtra, InputError, OutOfDialect.
A measure:
    Measure, Variant, REL, Values, Mask, never, without_relevant, ordered, JudgedTable, gain_of, Fixed, Linear,
    Ordered, Share.
A span measure:
    SpanMeasure, SpanVariant, ReadText.
A dialect:
    Dialect, Reading, Rounding, Order.
A similarity of two rankings:
    Similarity, Pairing.
A format:
    Format, Noun, Options, Plan, Read, Sure, TextLayout, Topics, Rows, Source, Run, Qrels.
A check:
    Check, CheckResult, Spot, NOTHING, found, found_rows, spot, Subject, Finding, Severity, quote.
An engine:
    Engine, Searcher, Asker, AskFailed, TOO_MANY, Ground, Corpus, Query, Ranking.
An engine whose indexes can be filled:
    Fills, FillRequest, IndexContent, IndexDocument, IndexFound, refuse_ids.
A stage:
    Stage, Transform, Rewrite, rerank_head, reorder_head, Rewritten, Passed, Failure, Usage.
A significance method:
    Significance, SignificanceRequest, Differences, not_estimable, Answer, Estimate, NotEstimable, Alternative.
A correction for several comparisons:
    Correction, Tests, Block, Adjusted.
A rule of a gate:
    Rule, Case, RuleSample, RuleValues, Ruling, Status, Payer, MEASURE, SEGMENT, BASIS, CONFIDENCE, MeasureName,
    measure_of, level_of, refuse_sideless, segment_suffix, MeanRequirement, decide_on_mean.
A diagnosis:
    Symptom, Chart.
A judge:
    Judge, JudgeQuestion, Prompt, ParsedAnswer, AnswerFault, ModelAnswer, Scale, SYSTEM_PROMPT, marked_block,
    project_rules, scale_levels, scale_grades, whole_answer, unreadable_answer, answer_note,
    first_token_probabilities.
An adjudication:
    Adjudication, Settled, Judgment.
A selection of pairs to judge:
    Selection, SelectedPair, Material, PAIRS.
A click model:
    ClickModel, Fitted, Impressions.
An estimator from logged clicks:
    Estimator, Decisions, Influence.
An interleaving:
    Interleaving, Drafted.
A method of an A/B test (trial):
    Inference, Effect, EffectRequest, VariancePart.
A report:
    Report, Evaluation, Result, Comparison, Contrast, Verdict, Benchmark, Section, sections_text,
    comparison_sections, verdict_sections, benchmark_sections.

Every name is loaded when it is first used, so that importing this module is free.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.core import Rows
    from rankproof.errors import InputError, MissingExtra, OutOfDialect, RankproofError, UnknownName, UsageError
    from rankproof.judging.adjudications.contract import Adjudication, Settled
    from rankproof.judging.judge_answers import answer_note, first_token_probabilities, unreadable_answer, whole_answer
    from rankproof.judging.judge_prompts import SYSTEM_PROMPT, marked_block, project_rules, scale_grades, scale_levels
    from rankproof.judging.judges.contract import AnswerFault, Judge, JudgeQuestion, ParsedAnswer, Prompt
    from rankproof.judging.records import Judgment, Scale
    from rankproof.judging.selections.contract import PAIRS, Material, SelectedPair, Selection
    from rankproof.kernel.estimate import Alternative, Answer, Estimate, NotEstimable
    from rankproof.kernel.llm.answer import ModelAnswer, Usage
    from rankproof.kernel.sections import Section, sections_text
    from rankproof.kernel.specs.kinds import (
        REQUIRED,
        Choice,
        Flag,
        Kind,
        Number,
        Numbers,
        Optional,
        OptionValues,
        Param,
        Path,
        Text,
        Texts,
        Whole,
    )
    from rankproof.kernel.verdict import Payer, Ruling, Status
    from rankproof.measuring.dependence import Fixed, Linear, Ordered, Share
    from rankproof.measuring.dialects.contract import Dialect, Reading, Rounding
    from rankproof.measuring.gain import gain_of
    from rankproof.measuring.judged_table import JudgedTable
    from rankproof.measuring.measures.contract import (
        REL,
        Mask,
        Measure,
        Values,
        Variant,
        never,
        ordered,
        without_relevant,
    )
    from rankproof.measuring.records import Evaluation, Result
    from rankproof.measuring.similarities.contract import Pairing, Similarity
    from rankproof.measuring.spans.coverage import ReadText
    from rankproof.measuring.spans.measures.contract import SpanMeasure, SpanVariant
    from rankproof.online.clickmodels.contract import ClickModel, Fitted
    from rankproof.online.counterfactual.records import Decisions, Influence
    from rankproof.online.estimators.contract import Estimator
    from rankproof.online.impressions import Impressions
    from rankproof.online.interleavings.contract import Drafted, Interleaving
    from rankproof.online.trials.contract import Effect, EffectRequest, Inference, VariancePart
    from rankproof.proving.corrections.contract import Block, Correction, Tests
    from rankproof.proving.diagnoses.contract import Chart, Symptom
    from rankproof.proving.mean_rule import MeanRequirement, decide_on_mean
    from rankproof.proving.records import Adjusted, Comparison, Contrast
    from rankproof.proving.rule_params import (
        BASIS,
        CONFIDENCE,
        MEASURE,
        SEGMENT,
        MeasureName,
        level_of,
        measure_of,
        refuse_sideless,
        segment_suffix,
    )
    from rankproof.proving.rules.contract import Case, Rule, RuleSample, RuleValues
    from rankproof.proving.sections import comparison_sections
    from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest, not_estimable
    from rankproof.proving.verdict import Verdict
    from rankproof.reading.check_subject import Subject
    from rankproof.reading.checks.contract import NOTHING, Check, CheckResult, Spot, found, found_rows, spot
    from rankproof.reading.collection import Corpus, Query, Rewritten
    from rankproof.reading.finding import Finding, Severity, quote
    from rankproof.reading.formats.contract import Format, Noun, Options, Plan, Read, Sure, TextLayout, Topics
    from rankproof.reading.ranking import Failure, Passed, Ranking
    from rankproof.reading.records import Order, Qrels, Run
    from rankproof.reading.source import Source
    from rankproof.reports.forms.contract import Report
    from rankproof.reports.verdict_sections import verdict_sections
    from rankproof.stack.benchmark.records import Benchmark
    from rankproof.stack.benchmark.sections import benchmark_sections
    from rankproof.stack.engines.contract import TOO_MANY, Asker, AskFailed, Engine, Searcher
    from rankproof.stack.filling import FillRequest, Fills, IndexContent, IndexDocument, IndexFound, refuse_ids
    from rankproof.stack.records import Ground
    from rankproof.stack.stages.contract import Rewrite, Stage, Transform, reorder_head, rerank_head

# Module -> the names that it defines; a file of rankproof itself imports them from there.
_NAMES_OF = {
    "rankproof.kernel.specs": (
        "Param REQUIRED Kind Number Whole Choice Flag Text Texts Numbers Optional Path OptionValues"
    ),
    "rankproof.errors": "RankproofError UsageError UnknownName MissingExtra InputError OutOfDialect",
    "rankproof.measuring.measures.contract": "Measure Variant REL Values Mask never without_relevant ordered",
    "rankproof.measuring.judged_table": "JudgedTable",
    "rankproof.measuring.gain": "gain_of",
    "rankproof.measuring.dependence": "Fixed Linear Ordered Share",
    "rankproof.measuring.spans.measures.contract": "SpanMeasure SpanVariant",
    "rankproof.measuring.spans.coverage": "ReadText",
    "rankproof.measuring.dialects.contract": "Dialect Reading Rounding",
    "rankproof.reading.records": "Order Run Qrels",
    "rankproof.measuring.similarities.contract": "Similarity Pairing",
    "rankproof.reading.formats.contract": "Format Noun Options Plan Read Sure TextLayout Topics",
    "rankproof.core": "Rows",
    "rankproof.reading.source": "Source",
    "rankproof.reading.checks.contract": "Check CheckResult Spot NOTHING found found_rows spot",
    "rankproof.reading.check_subject": "Subject",
    "rankproof.reading.finding": "Finding Severity quote",
    "rankproof.stack.engines.contract": "Engine Searcher Asker AskFailed TOO_MANY",
    "rankproof.stack.filling": "Fills FillRequest IndexContent IndexDocument IndexFound refuse_ids",
    "rankproof.stack.records": "Ground",
    "rankproof.reading.collection": "Corpus Query Rewritten",
    "rankproof.reading.ranking": "Ranking Passed Failure",
    "rankproof.stack.stages.contract": "Stage Transform Rewrite rerank_head reorder_head",
    "rankproof.proving.significance.contract": "Significance SignificanceRequest Differences not_estimable",
    "rankproof.kernel.estimate": "Answer Estimate NotEstimable Alternative",
    "rankproof.proving.corrections.contract": "Correction Tests Block",
    "rankproof.proving.records": "Adjusted Comparison Contrast",
    "rankproof.proving.rules.contract": "Rule Case RuleSample RuleValues",
    "rankproof.kernel.verdict": "Ruling Status Payer",
    "rankproof.proving.rule_params": (
        "MEASURE SEGMENT BASIS CONFIDENCE MeasureName measure_of level_of refuse_sideless segment_suffix"
    ),
    "rankproof.proving.mean_rule": "MeanRequirement decide_on_mean",
    "rankproof.proving.diagnoses.contract": "Symptom Chart",
    "rankproof.judging.judges.contract": "Judge JudgeQuestion Prompt ParsedAnswer AnswerFault",
    "rankproof.kernel.llm.answer": "ModelAnswer Usage",
    "rankproof.judging.records": "Scale Judgment",
    "rankproof.judging.judge_prompts": "SYSTEM_PROMPT marked_block project_rules scale_levels scale_grades",
    "rankproof.judging.judge_answers": "whole_answer unreadable_answer answer_note first_token_probabilities",
    "rankproof.judging.adjudications.contract": "Adjudication Settled",
    "rankproof.judging.selections.contract": "Selection SelectedPair Material PAIRS",
    "rankproof.online.clickmodels.contract": "ClickModel Fitted",
    "rankproof.online.impressions": "Impressions",
    "rankproof.online.estimators.contract": "Estimator",
    "rankproof.online.counterfactual.records": "Decisions Influence",
    "rankproof.online.interleavings.contract": "Interleaving Drafted",
    "rankproof.online.trials.contract": "Inference Effect EffectRequest VariancePart",
    "rankproof.reports.forms.contract": "Report",
    "rankproof.measuring.records": "Evaluation Result",
    "rankproof.proving.verdict": "Verdict",
    "rankproof.stack.benchmark.records": "Benchmark",
    "rankproof.kernel.sections": "Section sections_text",
    "rankproof.proving.sections": "comparison_sections",
    "rankproof.reports.verdict_sections": "verdict_sections",
    "rankproof.stack.benchmark.sections": "benchmark_sections",
}
_DEFINED_IN = {name: module for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = [
    "BASIS",
    "CONFIDENCE",
    "MEASURE",
    "NOTHING",
    "PAIRS",
    "REL",
    "REQUIRED",
    "SEGMENT",
    "SYSTEM_PROMPT",
    "TOO_MANY",
    "Adjudication",
    "Adjusted",
    "Alternative",
    "Answer",
    "AnswerFault",
    "AskFailed",
    "Asker",
    "Benchmark",
    "Block",
    "Case",
    "Chart",
    "Check",
    "CheckResult",
    "Choice",
    "ClickModel",
    "Comparison",
    "Contrast",
    "Corpus",
    "Correction",
    "Decisions",
    "Dialect",
    "Differences",
    "Drafted",
    "Effect",
    "EffectRequest",
    "Engine",
    "Estimate",
    "Estimator",
    "Evaluation",
    "Failure",
    "FillRequest",
    "Fills",
    "Finding",
    "Fitted",
    "Fixed",
    "Flag",
    "Format",
    "Ground",
    "Impressions",
    "IndexContent",
    "IndexDocument",
    "IndexFound",
    "Inference",
    "Influence",
    "InputError",
    "Interleaving",
    "Judge",
    "JudgeQuestion",
    "JudgedTable",
    "Judgment",
    "Kind",
    "Linear",
    "Mask",
    "Material",
    "MeanRequirement",
    "Measure",
    "MeasureName",
    "MissingExtra",
    "ModelAnswer",
    "NotEstimable",
    "Noun",
    "Number",
    "Numbers",
    "OptionValues",
    "Optional",
    "Options",
    "Order",
    "Ordered",
    "OutOfDialect",
    "Pairing",
    "Param",
    "ParsedAnswer",
    "Passed",
    "Path",
    "Payer",
    "Plan",
    "Prompt",
    "Qrels",
    "Query",
    "Ranking",
    "RankproofError",
    "Read",
    "ReadText",
    "Reading",
    "Report",
    "Result",
    "Rewrite",
    "Rewritten",
    "Rounding",
    "Rows",
    "Rule",
    "RuleSample",
    "RuleValues",
    "Ruling",
    "Run",
    "Scale",
    "Searcher",
    "Section",
    "SelectedPair",
    "Selection",
    "Settled",
    "Severity",
    "Share",
    "Significance",
    "SignificanceRequest",
    "Similarity",
    "Source",
    "SpanMeasure",
    "SpanVariant",
    "Spot",
    "Stage",
    "Status",
    "Subject",
    "Sure",
    "Symptom",
    "Tests",
    "Text",
    "TextLayout",
    "Texts",
    "Topics",
    "Transform",
    "UnknownName",
    "Usage",
    "UsageError",
    "Values",
    "VariancePart",
    "Variant",
    "Verdict",
    "Whole",
    "answer_note",
    "benchmark_sections",
    "comparison_sections",
    "decide_on_mean",
    "first_token_probabilities",
    "found",
    "found_rows",
    "gain_of",
    "level_of",
    "marked_block",
    "measure_of",
    "never",
    "not_estimable",
    "ordered",
    "project_rules",
    "quote",
    "refuse_ids",
    "refuse_sideless",
    "reorder_head",
    "rerank_head",
    "scale_grades",
    "scale_levels",
    "sections_text",
    "segment_suffix",
    "spot",
    "unreadable_answer",
    "verdict_sections",
    "whole_answer",
    "without_relevant",
]


def __getattr__(name: str) -> object:
    """The name, from the module that defines it."""
    if name in _DEFINED_IN:
        return getattr(import_module(_DEFINED_IN[name]), name)
    raise AttributeError(f"module 'rankproof.extend' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names: a prompt completes from here."""
    return sorted({*globals(), *__all__})
