"""Tools: what each is called, which arguments it takes, and which published schema its answers follow.

A tool is a command of the command line with some of its options: those that write a file, name a cluster or start
another program are not among them. Descriptions and kinds of arguments are those of the command's own options, and the
arguments of a call become a command line that the command itself reads, so that nothing is decided twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import click

from rankproof.errors import UnknownName, UsageError
from rankproof.integrations.mcp.limits import LONGEST_WORD, MOST_FILES, MOST_WORDS
from rankproof.kernel.schema_files import bundled

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FileArgument:
    """A file, or several, that stand on the command line without an option.

    left_out  options with which it is left out, and without which it is required
    """

    name: str
    about: str
    many: bool = False
    required: bool = True
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadingTool:
    """One tool.

    words     the command
    about     what an agent reads to choose the tool and to use its answer
    schemas   the published schemas of its answers
    files     in the order of the command line
    options   by their long names without dashes
    text      an argument that is words and no file
    """

    words: str
    about: str
    schemas: tuple[str, ...]
    files: tuple[FileArgument, ...] = ()
    options: tuple[str, ...] = ()
    text: tuple[str, str] | None = None

    @property
    def name(self) -> str:
        """The last word of the command."""
        return self.words.split()[-1]

    @property
    def command(self) -> click.Command:
        """The command, which reads the options."""
        found = import_module(f"rankproof.cli.{self.words.replace(' ', '.')}").command
        assert isinstance(found, click.Command)
        return found


QRELS = FileArgument("qrels", "The judgments.")
BASELINE = FileArgument("baseline", "The run that others are compared with.")
CANDIDATES = FileArgument("candidates", "The runs compared with the baseline.", many=True)
HOW_READ = (
    "complete", "depth", "level", "judged-only", "dialect", "undefined", "order", "lower-is-better", "collapse",
    "unmapped", "collapse-qrels", "drop-self", "allow", "columns", "qrels-format", "run-format",
)  # fmt: skip
OF_SCORES = ("scores", "unit", "system", "repeats", "lower", "range", "missing")
DESIGN = (
    "significance", "correction", "confidence", "resamples", "seed", "all-pairs", "equivalence", "non-inferiority",
)  # fmt: skip
PATHS = "Files are named from the served folder on, with / between parts. Nothing is written."

TOOLS: tuple[ReadingTool, ...] = (
    ReadingTool(
        "evaluate",
        "Measure runs against judgments (nDCG, recall, MRR, MAP, ...). It says what one run reaches, and not whether a "
        "difference between runs is more than chance: for that, use compare. Name the measures that you need; answers "
        "with many are long. " + PATHS,
        ("evaluation/1",),
        (QRELS, FileArgument("runs", "The runs to measure.", many=True)),
        ("measures", "per-query", "ties", *HOW_READ),
    ),
    ReadingTool(
        "compare",
        "Compare candidates with a baseline on the same judgments: differences with confidence intervals, p-values "
        "corrected for all tests, effect sizes, and what unjudged documents and ties could change. 'Not significant' "
        "is no proof that two runs are the same: the answer says how small a difference these queries detect and how "
        "many queries the observed one needs. With scores, the files are tables of values by query that other tools "
        "made, and with saved they are kept reports; both without qrels. " + PATHS,
        ("comparison/1",),
        (FileArgument("qrels", "The judgments; left out with scores and saved.", False, False, ("scores", "saved")),
         BASELINE,
         FileArgument("candidates", CANDIDATES.about, many=True, required=False)),
        ("measures", *DESIGN, "primary", "topics", "queries", "by", "weights", "strata", "clusters", "pool", "open",
         "no-beyond", *OF_SCORES, "saved", "per-query", *HOW_READ),
    ),
    ReadingTool(
        "gate",
        "Decide by the rules of a policy (TOML) whether a change may ship: PASS, FAIL or UNDECIDED. UNDECIDED is an "
        "answer and not an error: there are too few queries or judgments to tell. Do not treat it as a PASS, and do "
        "not try other candidates until one passes; say what would decide it. Each undecided rule says so in `decides` "
        "(how many queries), and the tool next names the documents to judge. Policies with a ledger are refused, since "
        "it counts attempts in a file. With scores, baseline and candidate are tables of values by query that other "
        "tools made, and with saved they are kept reports. " + PATHS,
        ("verdict/1",),
        (FileArgument("policy", "The policy, a TOML file. Files that it names are looked for from its own folder."),),
        ("candidate", "baseline", "qrels", "topics", "queries", "latency", "confidence", "significance", "seed",
         "saved", "scores", "unit", "repeats", "lower", "range", "missing"),
    ),
    ReadingTool(
        "power",
        "Say how large a true difference a query set detects, and how many queries a difference needs: from two runs "
        "whose differences are measured, from tables of scores, or from a standard deviation (sd) and no file. "
        + PATHS,
        ("power/1",),
        (FileArgument("qrels", "The judgments; left out with sd and scores.", False, False, ("sd", "scores")),
         FileArgument("baseline", BASELINE.about, required=False),
         FileArgument("candidate", "The run compared with it.", required=False)),
        ("measures", "sd", "queries", "difference", "power", "confidence", "alternative", *OF_SCORES, *HOW_READ),
    ),
    ReadingTool(
        "next",
        "Name the unjudged documents whose judgment would settle most whether candidates differ from the baseline, "
        "best first. A person should grade them; do not grade them yourself unless you were asked to. " + PATHS,
        ("next/1",),
        (QRELS, BASELINE, CANDIDATES),
        ("measure", "number", "pool", "topics", "top-grade", "depth", "order", "lower-is-better", "collapse",
         "unmapped", "collapse-qrels", "drop-self", "allow", "columns", "qrels-format", "run-format"),
    ),
    ReadingTool(
        "explain",
        "Explain a measure, a statistical test, a correction, a rule of a gate, a format, a check by its code, or a "
        "concept such as 'effect size': formula, fine print, parameters and source. A whole shelf (measures, formats, "
        "checks, rules, concepts) is listed by its name, and everything where no name is given.",
        ("explanation/1", "shelves/1"),
        text=("name", "What to explain, in any usual spelling: nDCG@10, holm, duplicate_document, p-value."),
    ),
    ReadingTool(
        "validate",
        "Check runs, judgments and topics: what is wrong with them, in which line, and what to do. A file that is not "
        "valid is an answer and no error. " + PATHS,
        ("validation/1",),
        (FileArgument("files", "The files to check; what each holds is found out by its content.", many=True),),
        ("as", "qrels", "topics", "allow", "strict", "format", "columns"),
    ),
)  # fmt: skip
BY_NAME: Mapping[str, ReadingTool] = {tool.name: tool for tool in TOOLS}


def tool_named(name: str) -> ReadingTool:
    """The tool; an error that names the others."""
    if name not in BY_NAME:
        raise UnknownName("tool", name[:LONGEST_WORD], BY_NAME)
    return BY_NAME[name]


# ---- schemas ---------------------------------------------------------------------------------------


@cache
def options_of(tool: ReadingTool) -> Mapping[str, click.Option]:
    """The options that the tool takes, by the names of its arguments."""
    found: dict[str, click.Option] = {}
    for param in tool.command.params if tool.options else ():
        if isinstance(param, click.Option):
            names = {option.removeprefix("--") for option in param.opts if option.startswith("--")} & {*tool.options}
            found |= {name.replace("-", "_"): param for name in names}
    missing = {name.replace("-", "_") for name in tool.options} - found.keys()
    assert not missing, f"{tool.name}: no option {missing}"
    return {name: found[name] for name in (name.replace("-", "_") for name in tool.options)}


def input_schema(tool: ReadingTool) -> Json:
    """The JSON Schema of the arguments."""
    word: Json = {"type": "string", "minLength": 1, "maxLength": LONGEST_WORD}
    properties: dict[str, Json] = {}
    for file in tool.files:
        one = {**word, "description": file.about}
        several = {"type": "array", "items": word, "minItems": 1, "maxItems": MOST_FILES, "description": file.about}
        properties[file.name] = several if file.many else one
    for name, option in options_of(tool).items():
        properties[name] = _property(option)
    if tool.text is not None:
        properties[tool.text[0]] = {"type": "string", "maxLength": LONGEST_WORD, "description": tool.text[1]}
    required = [file.name for file in tool.files if file.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _property(option: click.Option) -> Json:
    about = {"description": option.help or ""}
    if option.is_flag:
        return {"type": "boolean", **about}
    kind: Json = {"type": "string", "maxLength": LONGEST_WORD}
    if isinstance(option.type, click.Choice):
        kind = {"type": "string", "enum": list(option.type.choices)}
    elif isinstance(option.type, click.IntRange):
        ends = {"minimum": option.type.min, "maximum": option.type.max}
        kind = {"type": "integer", **{name: end for name, end in ends.items() if end is not None}}
    elif option.type is click.INT:
        kind = {"type": "integer"}
    elif option.type is click.FLOAT:
        kind = {"type": "number"}
    if option.multiple:
        return {"type": "array", "items": kind, "maxItems": MOST_WORDS, **about}
    return {**kind, **about}


def output_schema(tool: ReadingTool) -> Json:
    """The published schemas of the answers as one that stands alone, with references inside it only.

    Clients differ in what they make of the names of embedded schemas (`$id`), so that there are none.
    """
    whole = [_standing_alone(name) for name in tool.schemas]
    if len(whole) == 1:
        return whole[0]
    places = {name: name.split("/")[0] for name in tool.schemas}
    parts = {
        places[name]: _moved(schema, f"#/$defs/{places[name]}") for name, schema in zip(places, whole, strict=True)
    }
    return {"type": "object", "anyOf": [{"$ref": f"#/$defs/{place}"} for place in parts], "$defs": parts}


def _standing_alone(name: str) -> Json:
    schema = bundled(name)
    beside = {part["$id"]: f"#/$defs/{place}" for place, part in schema.get("$defs", {}).items() if "$id" in part}
    beside[schema["$id"]] = "#"
    alone = _referring(schema, "#", beside)
    assert isinstance(alone, dict)
    return alone


def _referring(part: Any, here: str, places: Mapping[str, str]) -> Any:
    """A part of a schema whose references name places of the whole; `here` is where its own file stands."""
    if isinstance(part, list):
        return [_referring(item, here, places) for item in part]
    if not isinstance(part, dict):
        return part
    here = places[part["$id"]] if isinstance(part.get("$id"), str) else here
    found = {}
    for key, value in part.items():
        if key == "$ref":
            file, _, place = value.partition("#")
            found[key] = f"{places[file] if file else here}{place}"
        elif not (key in ("$id", "$schema") and isinstance(value, str)):
            found[key] = _referring(value, here, places)
    return found


def _moved(schema: Json, place: str) -> Json:
    moved = _referring(schema, place, {})
    assert isinstance(moved, dict)
    return moved


# ---- arguments -------------------------------------------------------------------------------------


def files_of(tool: ReadingTool, arguments: Mapping[str, Any]) -> list[str]:
    """The names of files among arguments that were checked: those that are opened whatever else is decided."""
    named = [name for file in tool.files for name in _listed(arguments.get(file.name))]
    for name, option in options_of(tool).items():
        if isinstance(option.type, click.Path):
            named += _listed(arguments.get(name))
    return named


def _listed(value: Any) -> list[str]:
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def command_line(tool: ReadingTool, arguments: Mapping[str, Any]) -> list[str]:
    """The words of a command line that says the same; UsageError for arguments that the tool does not have."""
    check_arguments(tool, arguments)
    words: list[str] = []
    for name, option in options_of(tool).items():
        value = arguments.get(name)
        spelled = max(option.opts, key=len)
        if option.is_flag:
            words += [spelled] if value else []
        else:
            words += [f"{spelled}={item}" for item in _listed(value)]
    words.append("--")
    for file in tool.files:
        words += _listed(arguments.get(file.name))
    if tool.text is not None:
        words += _listed(arguments.get(tool.text[0]))
    return words


def check_arguments(tool: ReadingTool, arguments: Mapping[str, Any]) -> None:
    """UsageError for an argument that is unknown, missing, of another type, or too much."""
    schema = input_schema(tool)
    known: dict[str, Json] = schema["properties"]
    for name in arguments:
        if name not in known:
            raise UnknownName(f"argument of the tool {tool.name}", name[:LONGEST_WORD], known)
    for name in schema["required"]:
        if name not in arguments:
            raise UsageError(f"{tool.name}: the argument {name!r} is missing. {known[name]['description']}")
    for name, value in arguments.items():
        _check(value, known[name], f"{tool.name}: {name}")
    _check_order(tool, arguments)


def _check_order(tool: ReadingTool, arguments: Mapping[str, Any]) -> None:
    """UsageError where the command would take one file for another: it knows them by their order alone."""
    missing: FileArgument | None = None
    for file in tool.files:
        instead = [name for name in file.left_out if arguments.get(name) not in (None, False)]
        if file.name in arguments and instead:
            raise UsageError(f"{tool.name}: {file.name} is left out with {instead[0]}. Leave out one of the two.")
        if file.left_out and not instead and file.name not in arguments:
            raise UsageError(f"{tool.name}: the argument {file.name!r} is missing. {file.about}")
        if file.name in arguments and missing is not None:
            raise UsageError(f"{tool.name}: {file.name} without {missing.name}. {missing.about} Name it too.")
        if file.name not in arguments and not instead:
            missing = file


_WORDS_OF_TYPES = {"string": "a text", "boolean": "true or false", "integer": "a whole number", "number": "a number",
                   "array": "a list"}  # fmt: skip


def _check(value: Any, kind: Json, place: str) -> None:
    name = kind["type"]
    if not _is_of(value, name):
        raise UsageError(f"{place} is {_WORDS_OF_TYPES[name]}; got {value!r:.80}.")
    if name == "array":
        if len(value) > kind["maxItems"]:
            raise UsageError(f"{place} has {len(value):,} items, and {kind['maxItems']} are the most. Ask for less.")
        if len(value) < kind.get("minItems", 0):
            raise UsageError(f"{place} is empty. Give at least {kind['minItems']}.")
        for i, item in enumerate(value):
            _check(item, kind["items"], f"{place}[{i}]")
    elif name == "string":
        if len(value) > kind.get("maxLength", LONGEST_WORD):
            raise UsageError(f"{place} has {len(value):,} characters, and {LONGEST_WORD:,} are the most.")
        if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise UsageError(f"{place} has a character that no text has: {value!r:.80}.")
        if "enum" in kind and value not in kind["enum"]:
            raise UsageError(f"{place} is one of {', '.join(kind['enum'])}; got {value!r:.80}.")


def _is_of(value: Any, name: str) -> bool:
    if name == "array":
        return isinstance(value, list)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    if name == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, bool if name == "boolean" else str)
