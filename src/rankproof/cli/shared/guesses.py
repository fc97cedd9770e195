"""What people type first, and the line that does what they mean: guessed commands and guessed options.

A guess that can mean one thing only just works (ALIASES); any other is answered with the line to type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof.errors import UnknownName, UsageError

# Other spellings of a command, with the same arguments; not listed in the help.
ALIASES: Mapping[str, str] = {"eval": "evaluate", "bench": "benchmark", "lint": "validate"}

_REPORT = "`rankproof compare QRELS BASELINE CANDIDATE --html report.html` writes an HTML report"
_TEST = "`rankproof compare QRELS BASELINE CANDIDATE` tests each difference for statistical significance"
_TASKS = (
    "`rankproof tasks QRELS CALLS...` measures the several searches that an agent makes for a task; `rankproof mcp "
    "FOLDER` answers an agent."
)

# Words that are no command -> a sentence with the line that does it.
ANSWERS: Mapping[str, str] = {
    "report": f"{_REPORT}; `rankproof benchmark run CONFIG` and `rankproof gate POLICY --html FILE` write theirs.",
    "html": f"{_REPORT}.",
    "plot": "`rankproof compare QRELS BASELINE CANDIDATE --charts FOLDER` writes the charts as SVG.",
    "charts": "`rankproof compare QRELS BASELINE CANDIDATE --charts FOLDER` writes the charts as SVG.",
    "stats": "`rankproof validate FILE` says what a run or qrels hold, `rankproof dataset show DATASET` what a dataset "
    "holds, and `rankproof evaluate QRELS RUN -q` shows the values of each query.",
    "info": "`rankproof validate FILE` says what a run or qrels hold, and `rankproof dataset show DATASET` what a "
    "dataset holds.",
    "diff": "`rankproof compare QRELS A B` compares runs by judgments, and `rankproof similarity A B` without them.",
    "score": "`rankproof evaluate QRELS RUN` measures a run.",
    "measure": "`rankproof evaluate QRELS RUN -m nDCG@10` measures a run.",
    "metrics": "`rankproof explain measures` lists them, and `rankproof evaluate QRELS RUN -m nDCG@10` measures a run.",
    "measures": "`rankproof explain measures` lists the measures.",
    "list": "`rankproof explain` lists all measures, tests, formats and checks.",
    "test": f"{_TEST}; `rankproof gate POLICY` decides by a policy.",
    "agent": _TASKS,
    "agents": _TASKS,
    "calls": _TASKS,
    "task": _TASKS,
    "ttest": f"{_TEST}; --test t takes the paired t-test alone.",
    "significance": f"{_TEST}.",
    "pvalue": f"{_TEST}.",
    "experiment": "`rankproof compare QRELS BASELINE CANDIDATE --manifest FILE` keeps an experiment that `rankproof "
    "verify` computes again; an A/B test is read by `rankproof ab FILE`.",
    "ab-test": "`rankproof ab FILE --variant COLUMN --metric COLUMN` reads an A/B test from one table.",
    "abtest": "`rankproof ab FILE --variant COLUMN --metric COLUMN` reads an A/B test from one table.",
    "run": "`rankproof benchmark run CONFIG` runs the pipelines of a configuration; `rankproof evaluate QRELS RUN` "
    "measures a run.",
    "rerank": "A rerank is a stage of a pipeline: `rankproof explain stages` lists them, and `rankproof benchmark run "
    "CONFIG` measures what one buys.",
    "retrieve": "`rankproof fetch CONFIG` asks the pipelines of a configuration and writes their runs.",
    "ask": "`rankproof fetch CONFIG` asks the pipelines of a configuration and writes their runs.",
    "annotate": "`rankproof serve STORE` lets people judge in a browser; `rankproof judge run` asks a model.",
    "label": "`rankproof serve STORE` lets people judge in a browser; `rankproof judge run` asks a model.",
    "topics": "`rankproof convert SOURCE TARGET` reads and writes topics; `rankproof validate FILE` checks them.",
    "optimize": "`rankproof tune CONFIG` tunes the parameters of a search stack.",
    "ci": "`rankproof gate POLICY` decides in CI whether a change may ship: exit status 0 PASS, 1 FAIL, 3 UNDECIDED.",
    "reproduce": "`rankproof verify MANIFEST` computes an experiment again.",
    "import": "`rankproof judgments import` reads judgments into a store; `rankproof convert` changes formats.",
    "export": "`rankproof judgments export` writes judgments of a store; `rankproof convert` changes formats.",
    "gui": "`rankproof serve STORE` opens the judging pages in a browser.",
    "web": "`rankproof serve STORE` opens the judging pages in a browser.",
    "ui": "`rankproof serve STORE` opens the judging pages in a browser.",
}

# Options that other tools have -> the one here.
OPTIONS: Mapping[str, str] = {
    "--metric": "-m (--measures)",
    "--metrics": "-m (--measures)",
    "--measure": "-m (--measures)",
    "--alpha": "--confidence 0.95 for a level of 5%",
    "--ci": "--confidence 0.95",
    "--k": "a cutoff in the name of the measure: -m nDCG@10",
    "--cutoff": "a cutoff in the name of the measure: -m nDCG@10",
    "--report": "--html FILE",
    "--csv": "--format csv",
    "--markdown": "--format markdown",
    "--out": "-o (--output)",
}


def guessed_command(name: str, known: Sequence[str]) -> str:
    """The command that a word means; an error with the line to type, or with the nearest names, where it is none."""
    plain = name.casefold().replace("_", "-")
    meant = ALIASES.get(plain, plain)
    if meant in known:
        return meant
    if plain in ANSWERS:
        raise UsageError(f"No command is called {name!r}. {ANSWERS[plain]}")
    raise UnknownName("command", name, [*known, *ALIASES], "`rankproof help` lists all.")


def guessed_option(option: str, message: str) -> str:
    """The message for an unknown option: the option here that does it where another tool calls it so."""
    return f"No such option '{option}'. Use {OPTIONS[option]}." if option in OPTIONS else message
