"""Concepts: the words of the field that `rankproof explain` explains beside the items of the shelves.

A page begins with the sentence of the glossary (docs/GLOSSARY.md, which a test compares) and goes on with how rankproof
shows it and where to read more. What has a page on a shelf, such as the paired t-test, has none here: its spellings
lead to that page.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Concept:
    """A word of the field: its meaning in one sentence, how rankproof shows it, where to read more, other words for it.

    summary   the sentence of the glossary
    page      what comes after it
    """

    name: str
    summary: str
    page: str
    spellings: tuple[str, ...] = ()


CONCEPTS = (
    Concept(
        "A/B test",
        "Variants shown to users at random, and what that did to metrics; an experiment is offline.",
        "`rankproof ab FILE --variant COLUMN --metric COLUMN` reads one from a table; `rankproof trial` runs one "
        "over days, from a design that is written before. The sample ratio is checked first: where units did not "
        "come in the planned shares, no other number is shown. The verdict is PASS, FAIL or UNDECIDED. Read more: "
        "docs/ab.md, docs/trials.md.",
        ("ab test", "ab", "trial", "a/b", "split test", "online experiment"),
    ),
    Concept(
        "adjusted p-value",
        "A p-value made larger so that it holds in a family of tests.",
        "`rankproof compare` decides by it where several systems, measures or segments are tested together: see "
        "`rankproof explain multiple testing`. The adjusted confidence interval goes with it.",
        ("adjusted p", "corrected p-value", "adjusted confidence interval"),
    ),
    Concept(
        "agreement",
        "How far two judges, people or models, give the same grades beyond chance.",
        "`rankproof judgments agreement` and `rankproof judge calibrate` give it with a confidence interval: the "
        "share of equal grades, Cohen's kappa, Krippendorff's alpha. Read more: docs/model-judges.md.",
        ("inter-annotator agreement", "kappa", "cohen's kappa", "krippendorff"),
    ),
    Concept(
        "baseline",
        "The system that others are compared with.",
        "In `rankproof compare QRELS BASELINE CANDIDATE...` it is the first run, or the one that --baseline names. A"
        " difference is always candidate minus baseline.",
        ("candidate", "control"),
    ),
    Concept(
        "confidence interval",
        "The means that a test at this level does not reject.",
        "A 95% confidence interval of a difference covers the true mean difference in 95 of 100 experiments, where "
        "the assumptions of its method hold. Where it does not reach 0 the difference is statistically significant "
        "at 5%. It speaks of other queries drawn like these, and not of other collections. `rankproof compare` gives"
        " one for every difference; `rankproof explain significance` lists the methods. Read more: "
        "docs/statistics.md.",
        ("ci", "interval", "95% ci", "confidence level", "error bar"),
    ),
    Concept(
        "effect size",
        "The mean difference over the standard deviation of the differences (Cohen's d_z).",
        "It says how large a difference is beside the spread of the queries; 0.2 is usually called small, 0.5 "
        "medium, 0.8 large. It does not grow with the number of queries, as a p-value shrinks. `rankproof compare` "
        "prints it beside the difference.",
        ("effect", "cohen's d", "cohens d", "standardized difference"),
    ),
    Concept(
        "gate",
        "A policy held against a candidate.",
        "`rankproof gate POLICY` answers PASS (exit status 0), FAIL (1) or UNDECIDED (3), so that CI can stop a "
        "change. A policy is a TOML file with rules; `rankproof gate init` writes one, and `rankproof explain rules`"
        " lists the rules. Read more: docs/gate.md.",
        ("policy", "quality gate", "release gate"),
    ),
    Concept(
        "guardrail",
        "A metric that a change may not make worse by more than its margin.",
        "It passes where the confidence bound shows that it is not worse by the margin (non-inferiority); what is "
        'merely not significant does not pass. `--guardrail` of `rankproof ab`, role = "guardrail" in the design of '
        "an A/B test.",
        ("guardrail metric",),
    ),
    Concept(
        "LLM as a judge",
        "A language model that gives grades in the place of people.",
        "`rankproof judge run` asks a model and stores every answer; `rankproof judge calibrate` compares it with "
        "people and `rankproof judge estimate` corrects what it says by a sample of human grades. Grades of a model "
        "alone favor rankings that resemble it. Read more: docs/model-judges.md.",
        ("llm judge", "model judge", "judge model"),
    ),
    Concept(
        "multiple testing",
        "Many tests made together, of which some find a difference by chance alone.",
        "20 tests at 5% find one where there is none on average. So the p-values of a family of tests are adjusted: "
        "holm for two systems and max_t for more by default (`rankproof explain corrections`). The first measure is "
        "the primary one; the others are corrected as a family of their own. Read more: docs/statistics.md.",
        ("multiple comparisons", "family", "family-wise error", "bonferroni", "correction", "false discovery rate"),
    ),
    Concept(
        "non-inferiority",
        "A candidate is not worse than the baseline by more than a margin, as a test shows.",
        "`rankproof compare --non-inferiority 0.01` tests it; --equivalence tests both sides (TOST). That a "
        "difference is not significant shows no equality: a small query set finds nothing significant. A gate's rule"
        " no_regression is such a test.",
        ("noninferiority", "equivalence", "tost", "margin"),
    ),
    Concept(
        "not estimable",
        "Without interval and p-value, for a stated reason. Never 0, never p = 1.",
        "One query alone has no spread; identical rankings leave nothing to test. The reason stands in the place of "
        "the numbers, and a gate that needs them answers UNDECIDED.",
        ("notestimable", "n/a"),
    ),
    Concept(
        "p-value",
        "How often a difference at least as large comes about where the systems are alike.",
        "A difference is statistically significant where its p-value, adjusted for all tests made together, is at "
        "most 1 minus the confidence level (0.05 by default). It is no probability that the systems are alike, and "
        "says nothing of the size: see `rankproof explain effect size`. `rankproof compare` gives one for every "
        "difference, by the same method as the confidence interval.",
        ("pvalue", "probability value"),
    ),
    Concept(
        "power",
        "How often a true difference of a given size is found.",
        "`rankproof power QRELS` says what difference a query set detects with 80% power, and how many queries a "
        "difference takes; `rankproof trial plan` does so for users. A result that is not significant comes with the"
        " difference that the queries could have detected.",
        ("statistical power", "mde", "minimum detectable effect", "sample size", "minimal detectable effect"),
    ),
    Concept(
        "primary measure",
        "The measure that decides: the first one named.",
        "Its tests over all queries are the family that is corrected. The others are secondary: significant only "
        "where the primary contrast of the same pair is. So showing more measures changes nothing of what is "
        "decided. `rankproof compare --primary all` makes one family of all.",
        ("primary", "primary metric", "secondary measure", "secondary"),
    ),
    Concept(
        "qrels",
        "The settled grades: query_id, doc_id, grade, and a subtopic where there are any.",
        "Also called relevance judgments or ground truth. A TREC file has lines `query 0 document grade`; CSV, JSON,"
        " BEIR, Parquet and others are recognized (`rankproof explain formats`). A document that is not in them is "
        "unjudged, which is not grade 0. `rankproof validate FILE` checks them.",
        ("judgments", "judgements", "relevance judgments", "ground truth", "labels", "golden set", "qrel"),
    ),
    Concept(
        "RAG",
        "Retrieval-augmented generation: a language model answers from retrieved chunks. What is measured here is the "
        "retrieval.",
        "rankproof measures the search in it: recall@k says how many of the passages that the answer needs are among"
        " the first k, hit rate whether any is. Retrieved passages per question are a run, the passages that should "
        "be found are qrels; `rankproof evaluate QRELS RUN recall@5 hit_rate@5`. --collapse turns chunks into "
        "documents.",
        ("retrieval-augmented generation", "rag evaluation"),
    ),
    Concept(
        "run",
        "The rankings of one system: query_id, doc_id and score (or rank, or only the order).",
        "A TREC file has lines `query Q0 document rank score tag`; CSV, JSON, Parquet and others are recognized. "
        "`rankproof validate FILE` checks one, and `rankproof fetch CONFIG` makes runs by asking engines.",
        ("run file", "results", "ranking", "search results"),
    ),
    Concept(
        "sample ratio mismatch",
        "Units came to the variants of an A/B test in other shares than planned, by more than chance.",
        "It shows that units get lost or are counted twice in some variant, so that no number of the test can be "
        "trusted. `rankproof ab` and `rankproof trial read` test it first, at p < 0.001, and withhold everything "
        "else where it fails.",
        ("srm", "sample ratio test"),
    ),
    Concept(
        "sequential test",
        "A test that may be looked at any time, and stopped at any look, with the promised share of false alarms.",
        "Who looks daily at a t-test and stops at the first p < 0.05 finds effects where there are none (peeking). "
        "`rankproof explain sequence` is the default of A/B tests here and always valid; `rankproof explain welch` "
        "takes one look at a size that was planned. Read more: docs/online-statistics.md.",
        ("peeking", "always valid", "optional stopping", "early stopping", "sequential testing"),
    ),
    Concept(
        "statistically significant",
        'Beyond chance at the level of the comparison, after the correction; what is not is "not significant".',
        'JSON says "not shown" for not significant. A difference that is not significant may still be there: power '
        "says what could have been found. A significant one may be too small to matter: look at the confidence "
        "interval.",
        ("shown", "not shown", "significant", "not significant", "statistical significance", "alpha"),
    ),
    Concept(
        "task",
        "Several searches (calls) that serve one question of an agent or one conversation, measured as one unit.",
        "`rankproof tasks QRELS CALLS` measures the union of a task's calls, documents in the order in which they were "
        "first seen, and what only the calls can tell, where less is better.\n"
        "CallsToAll is the call at which everything relevant had been found, undefined where it never was.\n"
        "Calls counts the calls; RedundantCalls is the share that brought no document that had not been seen before.\n"
        "Tokens is what all calls cost together, undefined where that of one is not known.\n"
        "TokensToAll is what was spent up to and with the call at which everything had been found.\n"
        "Where something was never found, compare AllRecall@k first. Read more: docs/agents.md.",
        ("tasks", "calls", "calls of a task", "CallsToAll", "RedundantCalls", "Tokens", "TokensToAll", "agent"),
    ),
    Concept(
        "tie",
        "Documents of a query with equal scores.",
        "Their order is an accident, so that a measure's value depends on it. rankproof orders them by a stated rule"
        " (document id, descending, as trec_eval does); `rankproof evaluate --ties range` shows the least and "
        "greatest value, and `rankproof compare` says where ties could change a verdict.",
        ("ties", "tied scores", "tied", "tied documents"),
    ),
    Concept(
        "undefined",
        "Without a value: the measure says for which queries. Never a number.",
        "nDCG of a query without a relevant document, for one. Such queries count as each measure says (mostly as 0,"
        " and the fine print names them); --undefined skip leaves them out of the whole table.",
        ("nan",),
    ),
    Concept(
        "unit",
        "What counts once: a query offline; a user or a session in an A/B test.",
        "Rows of one unit are not independent, so that a test over rows of events finds too much. `rankproof ab "
        "--unit COLUMN` adds up the rows of each unit first.",
        ("randomization unit", "user"),
    ),
    Concept(
        "unjudged",
        "Not in the qrels (or, in some dialects, in the pool without a grade). Not the same as grade 0.",
        "A new system finds documents that nobody judged, and loses where they count as not relevant. `rankproof "
        "compare` bounds what unjudged documents could change and says where they could turn a verdict; `rankproof "
        "next` says which to judge, and the measure Judged@k counts them.",
        ("holes", "unjudged documents", "missing judgments", "incomplete judgments"),
    ),
    Concept(
        "UNDECIDED",
        "The verdict where the evidence shows neither PASS nor FAIL; exit status 3.",
        "It is an answer and no error: more queries, more judgments or more users would decide, and the reason says "
        "which. PASS and FAIL are only given where a confidence bound shows them. Read more: "
        "docs/decisions/0008-undecided-is-an-answer.md.",
        ("verdict", "pass", "fail", "exit status", "exit code", "inconclusive"),
    ),
)


def fold(name: str) -> str:
    """A name as it is compared: small letters, with spaces for hyphens and underscores."""
    return " ".join(name.casefold().replace("_", " ").replace("-", " ").replace("\u2019", "'").split())


def concept_of(name: str) -> Concept | None:
    """The concept of this name, or of this spelling of it; None where there is none."""
    wanted = fold(name)
    for concept in CONCEPTS:
        if wanted in (fold(concept.name), *map(fold, concept.spellings)):
            return concept
    return None
