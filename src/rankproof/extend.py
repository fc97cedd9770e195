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
A stage:
    Stage, Transform, Rewrite, rerank_head, reorder_head, Rewritten, Passed, Failure.
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
    from rankproof.kernel.llm.answer import ModelAnswer
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
    from rankproof.stack.records import Ground
    from rankproof.stack.stages.contract import Rewrite, Stage, Transform, reorder_head, rerank_head

# Name -> the module that defines it, which is what a file of rankproof itself imports.
_DEFINED_IN = {
    "Param": "rankproof.kernel.specs",
    "REQUIRED": "rankproof.kernel.specs",
    "Kind": "rankproof.kernel.specs",
    "Number": "rankproof.kernel.specs",
    "Whole": "rankproof.kernel.specs",
    "Choice": "rankproof.kernel.specs",
    "Flag": "rankproof.kernel.specs",
    "Text": "rankproof.kernel.specs",
    "Texts": "rankproof.kernel.specs",
    "Numbers": "rankproof.kernel.specs",
    "Optional": "rankproof.kernel.specs",
    "Path": "rankproof.kernel.specs",
    "OptionValues": "rankproof.kernel.specs",
    "RankproofError": "rankproof.errors",
    "UsageError": "rankproof.errors",
    "UnknownName": "rankproof.errors",
    "MissingExtra": "rankproof.errors",
    "InputError": "rankproof.errors",
    "OutOfDialect": "rankproof.errors",
    "Measure": "rankproof.measuring.measures.contract",
    "Variant": "rankproof.measuring.measures.contract",
    "REL": "rankproof.measuring.measures.contract",
    "Values": "rankproof.measuring.measures.contract",
    "Mask": "rankproof.measuring.measures.contract",
    "never": "rankproof.measuring.measures.contract",
    "without_relevant": "rankproof.measuring.measures.contract",
    "ordered": "rankproof.measuring.measures.contract",
    "JudgedTable": "rankproof.measuring.judged_table",
    "gain_of": "rankproof.measuring.gain",
    "Fixed": "rankproof.measuring.dependence",
    "Linear": "rankproof.measuring.dependence",
    "Ordered": "rankproof.measuring.dependence",
    "Share": "rankproof.measuring.dependence",
    "Dialect": "rankproof.measuring.dialects.contract",
    "Reading": "rankproof.measuring.dialects.contract",
    "Rounding": "rankproof.measuring.dialects.contract",
    "Order": "rankproof.reading.records",
    "Similarity": "rankproof.measuring.similarities.contract",
    "Pairing": "rankproof.measuring.similarities.contract",
    "Format": "rankproof.reading.formats.contract",
    "Noun": "rankproof.reading.formats.contract",
    "Options": "rankproof.reading.formats.contract",
    "Plan": "rankproof.reading.formats.contract",
    "Read": "rankproof.reading.formats.contract",
    "Sure": "rankproof.reading.formats.contract",
    "TextLayout": "rankproof.reading.formats.contract",
    "Topics": "rankproof.reading.formats.contract",
    "Rows": "rankproof.core",
    "Source": "rankproof.reading.source",
    "Run": "rankproof.reading.records",
    "Qrels": "rankproof.reading.records",
    "Check": "rankproof.reading.checks.contract",
    "CheckResult": "rankproof.reading.checks.contract",
    "Spot": "rankproof.reading.checks.contract",
    "NOTHING": "rankproof.reading.checks.contract",
    "found": "rankproof.reading.checks.contract",
    "found_rows": "rankproof.reading.checks.contract",
    "spot": "rankproof.reading.checks.contract",
    "Subject": "rankproof.reading.check_subject",
    "Finding": "rankproof.reading.finding",
    "Severity": "rankproof.reading.finding",
    "quote": "rankproof.reading.finding",
    "Engine": "rankproof.stack.engines.contract",
    "Searcher": "rankproof.stack.engines.contract",
    "Asker": "rankproof.stack.engines.contract",
    "AskFailed": "rankproof.stack.engines.contract",
    "TOO_MANY": "rankproof.stack.engines.contract",
    "Ground": "rankproof.stack.records",
    "Corpus": "rankproof.reading.collection",
    "Query": "rankproof.reading.collection",
    "Ranking": "rankproof.reading.ranking",
    "Stage": "rankproof.stack.stages.contract",
    "Transform": "rankproof.stack.stages.contract",
    "Rewrite": "rankproof.stack.stages.contract",
    "rerank_head": "rankproof.stack.stages.contract",
    "reorder_head": "rankproof.stack.stages.contract",
    "Rewritten": "rankproof.reading.collection",
    "Passed": "rankproof.reading.ranking",
    "Failure": "rankproof.reading.ranking",
    "Significance": "rankproof.proving.significance.contract",
    "SignificanceRequest": "rankproof.proving.significance.contract",
    "Differences": "rankproof.proving.significance.contract",
    "not_estimable": "rankproof.proving.significance.contract",
    "Answer": "rankproof.kernel.estimate",
    "Estimate": "rankproof.kernel.estimate",
    "NotEstimable": "rankproof.kernel.estimate",
    "Alternative": "rankproof.kernel.estimate",
    "Correction": "rankproof.proving.corrections.contract",
    "Tests": "rankproof.proving.corrections.contract",
    "Block": "rankproof.proving.corrections.contract",
    "Adjusted": "rankproof.proving.records",
    "Rule": "rankproof.proving.rules.contract",
    "Case": "rankproof.proving.rules.contract",
    "RuleSample": "rankproof.proving.rules.contract",
    "RuleValues": "rankproof.proving.rules.contract",
    "Ruling": "rankproof.kernel.verdict",
    "Status": "rankproof.kernel.verdict",
    "Payer": "rankproof.kernel.verdict",
    "MEASURE": "rankproof.proving.rule_params",
    "SEGMENT": "rankproof.proving.rule_params",
    "BASIS": "rankproof.proving.rule_params",
    "CONFIDENCE": "rankproof.proving.rule_params",
    "MeasureName": "rankproof.proving.rule_params",
    "measure_of": "rankproof.proving.rule_params",
    "level_of": "rankproof.proving.rule_params",
    "refuse_sideless": "rankproof.proving.rule_params",
    "segment_suffix": "rankproof.proving.rule_params",
    "MeanRequirement": "rankproof.proving.mean_rule",
    "decide_on_mean": "rankproof.proving.mean_rule",
    "Symptom": "rankproof.proving.diagnoses.contract",
    "Chart": "rankproof.proving.diagnoses.contract",
    "Judge": "rankproof.judging.judges.contract",
    "JudgeQuestion": "rankproof.judging.judges.contract",
    "Prompt": "rankproof.judging.judges.contract",
    "ParsedAnswer": "rankproof.judging.judges.contract",
    "AnswerFault": "rankproof.judging.judges.contract",
    "ModelAnswer": "rankproof.kernel.llm.answer",
    "Scale": "rankproof.judging.records",
    "SYSTEM_PROMPT": "rankproof.judging.judge_prompts",
    "marked_block": "rankproof.judging.judge_prompts",
    "project_rules": "rankproof.judging.judge_prompts",
    "scale_levels": "rankproof.judging.judge_prompts",
    "scale_grades": "rankproof.judging.judge_prompts",
    "whole_answer": "rankproof.judging.judge_answers",
    "unreadable_answer": "rankproof.judging.judge_answers",
    "answer_note": "rankproof.judging.judge_answers",
    "first_token_probabilities": "rankproof.judging.judge_answers",
    "Adjudication": "rankproof.judging.adjudications.contract",
    "Settled": "rankproof.judging.adjudications.contract",
    "Judgment": "rankproof.judging.records",
    "Selection": "rankproof.judging.selections.contract",
    "SelectedPair": "rankproof.judging.selections.contract",
    "Material": "rankproof.judging.selections.contract",
    "PAIRS": "rankproof.judging.selections.contract",
    "ClickModel": "rankproof.online.clickmodels.contract",
    "Fitted": "rankproof.online.clickmodels.contract",
    "Impressions": "rankproof.online.impressions",
    "Estimator": "rankproof.online.estimators.contract",
    "Decisions": "rankproof.online.counterfactual.records",
    "Influence": "rankproof.online.counterfactual.records",
    "Interleaving": "rankproof.online.interleavings.contract",
    "Drafted": "rankproof.online.interleavings.contract",
    "Inference": "rankproof.online.trials.contract",
    "Effect": "rankproof.online.trials.contract",
    "EffectRequest": "rankproof.online.trials.contract",
    "VariancePart": "rankproof.online.trials.contract",
    "Report": "rankproof.reports.forms.contract",
    "Evaluation": "rankproof.measuring.records",
    "Result": "rankproof.measuring.records",
    "Comparison": "rankproof.proving.records",
    "Contrast": "rankproof.proving.records",
    "Verdict": "rankproof.proving.verdict",
    "Benchmark": "rankproof.stack.benchmark.records",
    "Section": "rankproof.kernel.sections",
    "sections_text": "rankproof.kernel.sections",
    "comparison_sections": "rankproof.proving.sections",
    "verdict_sections": "rankproof.reports.verdict_sections",
    "benchmark_sections": "rankproof.stack.benchmark.sections",
}

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
    "Finding",
    "Fitted",
    "Fixed",
    "Flag",
    "Format",
    "Ground",
    "Impressions",
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
