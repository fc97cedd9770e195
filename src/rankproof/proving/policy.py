"""Policy: rules and settings from TOML or a dict of the same shape, every value checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import Choice, Flag, ItemName, Kind, Number, OptionValues, Path, Text, Texts, Whole
from rankproof.kernel.specs.tables import check_tables, read_table, read_value, with_defaults
from rankproof.measuring.records import Evaluation
from rankproof.proving.rule_params import MeasureName, ValueName
from rankproof.proving.rules.contract import Rule
from rankproof.proving.score_choices import SCORES, ScoreChoices
from rankproof.reading.chunk_map import is_mapping_file
from rankproof.reading.detect import by_prefix
from rankproof.reading.source import read_toml


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One rule of a policy, with every parameter set.

    rule     the item of the rules shelf
    values   by the names of its parameters
    title    its title in reports; "" for the rule's own title
    place    where it stands, for messages: "gate.toml, rule 2 (least_value)"
    """

    rule: str
    values: OptionValues
    title: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class LedgerChoice:
    """Where a policy keeps count of what was tried against its judgments.

    path          a file of sealed lines, one for each gate
    spend_error   whether the error that the policy allows is shared out over all attempts, instead of each having it
    """

    path: str
    spend_error: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Rules with their inputs and options. Inputs are paths or whatever `evaluate` takes.

    queries       a file with columns of queries, whose values make segments
    latency       a file with one request per line: query id and milliseconds
    weights, strata, clusters
                  columns of `queries` that say how queries were drawn; "" where they are a simple random sample
    confidence    of each one-sided bound
    significance  the item of the significance shelf that gives the bounds of changes, and of values where it can
    unchanged     what identical rankings mean for a rule against a regression: "pass", or "undecided" to be strict
    risks         what a rule is whose answer ties, unjudged documents or a finding could change: "undecided", or
                  "report" to keep the ruling and tell the risk beside it
    choices       how runs are read and measured: the options of `evaluate`
    scores        how tables of scores are read, where baseline and candidate are such tables; None: they are runs
    saved         whether baseline and candidate are kept reports of evaluations
    ledger        where attempts are counted; None: they are not
    source        the file it was read from; "" for an object
    """

    name: str
    clauses: tuple[Clause, ...]
    qrels: Any = None
    baseline: Any = None
    candidate: Any = None
    topics: Any = None
    queries: Any = None
    latency: Any = None
    confidence: float = 0.95
    significance: str = "t_or_gaffke"
    resamples: int = 100_000
    seed: int = 0
    unchanged: Literal["pass", "undecided"] = "pass"
    risks: Literal["undecided", "report"] = "undecided"
    weights: str = ""
    strata: str = ""
    clusters: str = ""
    choices: OptionValues = field(default_factory=dict)
    scores: ScoreChoices | None = None
    saved: bool = False
    ledger: LedgerChoice | None = None
    source: str = ""

    @property
    def by_values(self) -> bool:
        """Whether rules rest on values by unit that were made before: on scores or evaluations, and no rankings."""
        return self.scores is not None or self.saved or _is_evaluation(self.candidate)

    @property
    def statistics(self) -> dict[str, Any]:
        """What decides bounds, by its keys in a policy; without the columns that it does not name."""
        values = {name: getattr(self, name) for name in STATISTICS}
        return {name: value for name, value in values.items() if value != ""}

    @property
    def files(self) -> list[object]:
        """Everything that is read: the inputs, files that rules name, and the ledger."""
        of_rules = [clause.values.get(key) for clause in self.clauses for key in path_keys(clause.rule)]
        return [*(getattr(self, name) for name in INPUTS), *of_rules, self.ledger and self.ledger.path]


# The tables at the top of a policy.
TABLES = ("policy", "evaluate", "scores", "ledger", "rule")
# Files that a policy names from its own folder.
INPUTS = ("qrels", "baseline", "candidate", "topics", "queries", "latency")
STATISTICS: dict[str, Kind] = {
    "confidence": Number(0.5, 1, open_low=True, open_high=True),
    "significance": ItemName("significance"),
    "resamples": Whole(1_000),
    "seed": Whole(0),
    "unchanged": Choice(("pass", "undecided")),
    "risks": Choice(("undecided", "report")),
    "weights": Text(),
    "strata": Text(),
    "clusters": Text(),
}


@dataclass(frozen=True, slots=True)
class FormatName(ItemName):
    """The name of a format, after which its options may stand in brackets: mteb(split=test)."""

    def read(self, value: object) -> str:
        """The name and its options."""
        name, bracket, options = Text().read(value).partition("(")
        return f"{ItemName(self.shelf).read(name)}{bracket}{options}"


@dataclass(frozen=True, slots=True)
class ColumnNames(Kind):
    """Which column is what: a text as of --columns, or a table of roles and names."""

    def read(self, value: object) -> str | dict[str, Any]:
        """The text or the table; which roles there are is decided where files are read."""
        if isinstance(value, Mapping) and value:
            return {str(role): dict(name) if isinstance(name, Mapping) else name for role, name in value.items()}
        if isinstance(value, str) and value:
            return value
        raise ValueError(f'must be a text such as "query_id=question_id,doc_id=chunk_id" or a table; got {value!r:.80}')


# The options of `rankproof evaluate`, by the names they have in Python.
CHOICES: dict[str, Kind] = {
    "dialect": ItemName("dialects"),
    "depth": Whole(1),
    "judged_only": Flag(),
    "level": Whole(0),
    "complete": Flag(),
    "undefined": Choice(("zero", "skip")),
    "ties": Choice(("rule", "expected")),
    "order": Choice(("score", "rank", "given")),
    "lower_is_better": Flag(),
    "collapse": Text(),
    "unmapped": Choice(("refuse", "keep", "drop")),
    "collapse_qrels": Flag(),
    "drop_self": Flag(),
    "allow": Texts(),
    "columns": ColumnNames(),
    "qrels_format": FormatName("formats"),
    "run_format": FormatName("formats"),
}


@dataclass(frozen=True, slots=True)
class PolicyInput(Kind):
    """A file named from `folder`; standard input and names such as irds:... as they are.

    A policy that is a dict and no file may hold objects too.
    """

    folder: str

    def read(self, value: object) -> object:
        """The path, or the object."""
        if not isinstance(value, str):
            if self.folder:
                raise ValueError(f"must be the name of a file; got {value!r:.80}")
            return value
        if not value:
            raise ValueError("must be the name of a file; got an empty text")
        return value if value == "-" or by_prefix(value) is not None else os.path.join(self.folder, value)


def read_policy(policy: object, **instead: Any) -> Policy:
    """A policy from a path, a dict of the shape of the TOML, or a Policy; values given `instead` replace its own.

    Files that a policy file names are looked for from its own folder; those given here, from the working folder. The
    keys of `scores` replace those of the policy's [scores] table, one by one.
    """
    values = {name: value for name, value in instead.items() if value is not None}
    by_values = "scores" in values or bool(values.get("saved")) or _is_evaluation(values.get("candidate"))
    if isinstance(policy, Mapping):
        policy = policy_of(policy, "the policy", "", by_values)
    elif isinstance(policy, str | os.PathLike):
        policy = _file(os.fspath(policy), by_values)
    elif not isinstance(policy, Policy):
        raise UsageError(f"A policy is a path, a dict or a Policy; got {type(policy).__name__}.")
    for name in STATISTICS.keys() & values.keys():
        values[name] = read_value(STATISTICS[name], values[name], name)
    if "scores" in values:
        values["scores"] = replace(policy.scores or ScoreChoices(), **read_table(values["scores"], SCORES, "scores"))
    policy = replace(policy, **values)
    _refuse_two_kinds(policy)
    return policy


def _is_evaluation(what: object) -> bool:
    """Whether an input is an evaluation that was made before, in memory or read from a report."""
    if what is None or isinstance(what, str | os.PathLike):
        return False
    from rankproof.measuring.report import EvaluationReport

    return isinstance(what, Evaluation | EvaluationReport)


def _refuse_two_kinds(policy: Policy) -> None:
    """Refuses choices for rankings beside values that were made before, and two kinds of these at once."""
    if not policy.by_values:
        return
    place = policy.source or "the policy"
    if policy.scores is not None and (policy.saved or _is_evaluation(policy.candidate)):
        raise UsageError(
            f"{place}: inputs are tables of scores ([scores]) or evaluations that were kept (saved); not both. Leave "
            "one of them out."
        )
    made = "Scores" if policy.scores is not None else "Evaluations"
    if policy.qrels is not None:
        raise UsageError(f"{place}: {made} were made before and are taken as they are. Leave out qrels.")
    if policy.choices:
        raise UsageError(
            f"{place}: {made} were made before, so the table [evaluate] ({', '.join(policy.choices)}) decides nothing. "
            "Leave it out."
        )


def _file(path: str, by_values: bool) -> Policy:
    document = read_toml(path, "`rankproof gate init` writes one to begin with.")
    policy = policy_of(document, path, os.path.dirname(path), by_values)
    name = policy.name or os.path.splitext(os.path.basename(path))[0]
    return replace(policy, name=name, source=path)


def policy_of(document: Mapping[str, Any], place: str, folder: str, by_values: bool = False) -> Policy:
    """The policy in a document; `place` names it in messages, `folder` is where its files are looked for.

    by_values   whether its inputs are values that were made before, whatever the document says
    """
    check_tables(document, TABLES, place)
    kinds = {"name": Text(), "saved": Flag(), **dict.fromkeys(INPUTS, PolicyInput(folder)), **STATISTICS}
    fields = read_table(document.get("policy", {}), kinds, f"{place}, [policy]")
    choices = read_table(document.get("evaluate", {}), CHOICES, f"{place}, [evaluate]")
    scores = None
    if "scores" in document:
        scores = ScoreChoices(**read_table(document["scores"], SCORES, f"{place}, [scores]"))
    by_values = by_values or scores is not None or fields.get("saved", False) or _is_evaluation(fields.get("candidate"))
    if is_mapping_file(choices.get("collapse", "")):
        choices["collapse"] = os.path.join(folder, choices["collapse"])
    entries = document.get("rule", [])
    if not isinstance(entries, list | tuple) or not entries:
        raise UsageError(
            f"{place} has no [[rule]], so there is nothing to decide. Rules: {', '.join(shelf.everything('rules'))}."
        )
    clauses = tuple(read_clause(e, f"{place}, rule {i}", folder, by_values) for i, e in enumerate(entries, start=1))
    _refuse_contradiction(clauses)
    ledger = _ledger(document["ledger"], clauses, f"{place}, [ledger]", folder) if "ledger" in document else None
    return Policy(fields.pop("name", ""), clauses, choices=choices, scores=scores, ledger=ledger, **fields)


def path_keys(rule: str) -> set[str]:
    """The parameters of a rule that name files."""
    return {param.name for param in shelf.find("rules", rule).params if isinstance(param.kind, Path)}


def rests_on_bounds(clause: Clause) -> bool:
    """Whether the rule decides by confidence bounds, as its parameters tell."""
    return "confidence" in clause.values and clause.values.get("basis", "interval") == "interval"


def _ledger(table: object, clauses: tuple[Clause, ...], place: str, folder: str) -> LedgerChoice:
    given = read_table(table, {"path": Path(), "spend_error": Flag()}, place)
    if not given.get("path"):
        raise UsageError(f'{place}: path is missing: a file that counts what was tried, such as "gate.ledger.jsonl".')
    if given.get("spend_error") and not any(map(rests_on_bounds, clauses)):
        raise UsageError(
            f"{place}: spend_error has nothing to spend: no rule of the policy decides by confidence bounds. Add one "
            "that does, such as least_gain, or drop spend_error."
        )
    return LedgerChoice(os.path.join(folder, given["path"]), given.get("spend_error", False))


def _refuse_contradiction(clauses: tuple[Clause, ...]) -> None:
    """Refuses two rules on one mean that no result can keep both: at least one value and at most a lesser one."""
    targets = [clause for clause in clauses if clause.rule == "least_value"]
    for low, high in product(targets, targets):
        least, most = low.values["at_least"], high.values["at_most"]
        if least is None or most is None or least <= most:
            continue
        if all(low.values[key] == high.values[key] for key in ("measure", "segment")):
            raise UsageError(
                f"{low.place} and {high.place} contradict each other: {low.values['measure']} cannot be at least "
                f"{least:g} and at most {most:g}. Drop one of them, or change a target."
            )


def read_clause(entry: object, place: str, folder: str = "", by_values: bool = False) -> Clause:
    """One entry of a policy, its values read by the parameters of its rule.

    With `by_values` a measure is the name of values that were made before: any text, until `bind_clause` knows what
    names there are.
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("rule"), str):
        raise UsageError(f'{place}: a rule needs its name, such as rule = "least_value"; got {entry!r:.80}.')
    name = entry["rule"]
    try:
        rule: Rule = shelf.find("rules", name)
    except UnknownName as error:
        raise UnknownName(f"rule ({place})", name, shelf.everything("rules")) from error
    place = f"{place} ({name})"
    for key, value in entry.items():
        if callable(value):
            raise UsageError(
                f"{place}: {key} is a function, and a policy names measures: it must say the same tomorrow, in a file. "
                "Evaluate both runs with the function, give the gate these Evaluations as candidate and baseline, and "
                f'name it here: {key} = "{getattr(value, "name", getattr(value, "__name__", "my_measure"))}".'
            )
    kinds = {
        param.name: Text() if by_values and isinstance(param.kind, MeasureName) else param.kind for param in rule.params
    }
    title = read_value(Text(), entry["title"], f"{place}: title") if "title" in entry else ""
    # Files of a rule are named from the policy's folder, as the policy's own are.
    given = read_table(entry, kinds, place, others=("rule", "title"))
    for key, value in given.items():
        if isinstance(kinds[key], Path):
            given[key] = read_value(PolicyInput(folder), value, f"{place}: {key}")
    values = with_defaults(given, rule.params, place)
    clause = Clause(name, values, title, place)
    if by_values:
        refuse_rankings(clause)
    else:
        _refuse_values(rule, clause)
    return clause


def refuse_rankings(clause: Clause) -> None:
    """Refuses a rule that looks at rankings or judgments, where there are only values by unit."""
    why = shelf.find("rules", clause.rule).needs_rankings(clause.values)
    if why:
        able = [rule.name for rule in shelf.offered("rules").values() if "measure" in {p.name for p in rule.params}]
        raise UsageError(
            f"{clause.place} needs rankings and judgments ({why}), and values that were made before have neither. "
            f"Leave it out; rules on values are {', '.join(able)}."
        )


def bind_clause(clause: Clause, named: Callable[[str, str], ValueName]) -> Clause:
    """The rule with what is known of the values that it names: their better side and range.

    named   finds values by their name, for a rule at a place; UnknownName where there are none
    """
    refuse_rankings(clause)
    rule: Rule = shelf.find("rules", clause.rule)
    names = [param.name for param in rule.params if isinstance(param.kind, MeasureName)]
    values = {k: named(v, clause.place) if k in names and v else v for k, v in clause.values.items()}
    bound = replace(clause, values=values)
    _refuse_values(rule, bound)
    return bound


def _refuse_values(rule: Rule, clause: Clause) -> None:
    """Refuses values that contradict each other or what is measured, with the place of the rule."""
    if rule.refuse is None:
        return
    try:
        rule.refuse(clause.values)
    except UsageError as error:
        raise UsageError(f"{clause.place}: {error}.") from None
