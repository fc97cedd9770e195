"""Lets promptfoo 0.121.20 write the files in promptfoo/: evaluations of two systems, as JSON, JSON lines and CSV.

    npm install --prefix npm promptfoo@0.121.20
    python write_promptfoo.py npm/node_modules/.bin/promptfoo

The two systems and the judge are scripts that read a table of what to say; the judge refuses one question, as models
do. The prompt has no contexts: a system gives them in the metadata of its answer, and a test the ids of the right pages
in its own. As JSON, which promptfoo spreads over many lines, there are four of the questions. Another evaluation is of
prompts with contexts in their vars, of one system, every question asked twice; a last one is of graders and a system
that fail. Nothing is sent anywhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from shop import PAGES, QUESTIONS, SYSTEMS, answer, retrieve

OUT = Path(__file__).resolve().parent / "promptfoo"
VERSION = "0.121.20"
REFUSED = "Do you sell my address?"
SYSTEM = """import fs from "node:fs";
const said = JSON.parse(fs.readFileSync(new URL("said.json", import.meta.url)));
export default class {
  constructor(options) { this.system = options.config.system; }
  id() { return "help-desk"; }
  async callApi(prompt, context) {
    const { output, ...metadata } = said[this.system][context.vars.question];
    return { output, metadata, cost: 0.001 };
  }
}
"""
JUDGE = """export default class {
  id() { return "scripted-judge"; }
  async callApi(prompt) {
    if (prompt.includes(REFUSED)) return { error: "the judge refused to answer" };
    return { output: "It is found there. [Attributed]\\n" };
  }
}
""".replace("REFUSED", json.dumps(QUESTIONS[REFUSED][0]))


def said() -> dict[str, Any]:
    """What each system answers to each question, and from which pages."""
    return {
        system: {
            question: {
                "output": answer(system, question),
                "contexts": [PAGES[name] for name in retrieve(system, question)],
                "retrieved_context_ids": retrieve(system, question),
            }
            for question in QUESTIONS
        }
        for system in SYSTEMS
    }


def asserts() -> list[dict[str, Any]]:
    """A judge's metric on the contexts of the answer, and two that texts decide."""
    return [
        {"type": "context-recall", "value": "{{reference}}", "threshold": 0.5, "metric": "context recall",
         "contextTransform": "context.metadata.contexts"},
        {"type": "javascript", "metric": "right page first", "value":
         "context.test.metadata.reference_context_ids.includes(context.metadata.retrieved_context_ids[0])"},
        {"type": "contains-any", "value": ["days", "years"]},
    ]  # fmt: skip


def two_systems(questions: list[str]) -> dict[str, Any]:
    return {
        "description": "help desk",
        "prompts": ["{{question}}"],
        "providers": [{"id": "file://system.mjs", "label": system, "config": {"system": system}} for system in SYSTEMS],
        "defaultTest": {"options": {"provider": "file://judge.mjs"}, "assert": asserts()},
        "tests": [
            {
                "vars": {"question": question, "reference": QUESTIONS[question][0]},
                "metadata": {"reference_context_ids": QUESTIONS[question][1]},
            }
            for question in questions
        ],
    }


def contexts_in_vars(questions: list[str]) -> dict[str, Any]:
    """Contexts as a list in the vars, which stays a list where the expansion of vars is off."""
    return {
        "description": "contexts in vars",
        "prompts": ["{{context}} {{question}}"],
        "providers": ["echo"],
        "defaultTest": {
            "options": {"disableVarExpansion": True},
            "assert": [{"type": "contains", "value": "warehouse", "metric": "warehouse"}],
        },
        "tests": [
            {"vars": {"question": question, "context": [PAGES[name] for name in retrieve("after", question)]}}
            for question in questions
        ],
    }


FAILING_SYSTEM = """export default class {
  id() { return "failing"; }
  async callApi(prompt, context) {
    if (context.vars.question === "error") return { error: "the system said no" };
    return { output: "hello", metadata: { contexts: [] } };
  }
}
"""
FAILING_JUDGE = """export default class {
  id() { return "refusing-judge"; }
  async callApi() { return { error: "the judge refused to answer" }; }
}
"""


def failures() -> dict[str, Any]:
    """Graders of several kinds, alone and in a set, that all fail; a system that fails; a test without assertions."""
    return {
        "description": "failures",
        "prompts": ["{{question}}"],
        "providers": ["file://failing.mjs"],
        "defaultTest": {
            "options": {"provider": "file://refusing.mjs"},
            "assert": [
                {"type": "assert-set", "metric": "in a set", "assert": [
                    {"type": "llm-rubric", "value": "polite"}, {"type": "contains", "value": "hello"},
                ]},
                {"type": "factuality", "value": "hello", "metric": "factuality"},
                {"type": "context-faithfulness", "threshold": 0.5, "metric": "faithfulness",
                 "contextTransform": "'page'"},
                {"type": "model-graded-closedqa", "value": "polite", "metric": "closed"},
                {"type": "not-llm-rubric", "value": "rude", "metric": "not rude"},
                {"type": "contains", "value": "hello", "metric": "hello"},
            ],
        },
        "tests": [
            {"vars": {"question": "graded", "query": "graded"}},
            {"vars": {"question": "error"}},
            {"vars": {"question": "no assertions"}, "options": {"disableDefaultAsserts": True}},
        ],
    }  # fmt: skip


def evaluate(promptfoo: str, config: dict[str, Any], outputs: list[str], *options: str) -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "system.mjs").write_text(SYSTEM)
    (folder / "judge.mjs").write_text(JUDGE)
    (folder / "failing.mjs").write_text(FAILING_SYSTEM)
    (folder / "refusing.mjs").write_text(FAILING_JUDGE)
    (folder / "said.json").write_text(json.dumps(said()))
    (folder / "promptfooconfig.json").write_text(json.dumps(config))
    names = [part for name in outputs for part in ("-o", name)]
    alone = {
        "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_SELF_HOSTED": "1",
        "PROMPTFOO_CONFIG_DIR": str(folder / "own"), "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
    }  # fmt: skip
    told = subprocess.run(
        [promptfoo, "eval", *names, "--no-progress-bar", "--no-table", "--no-share", "-j", "1", *options],
        cwd=folder, env={**os.environ, **alone}, text=True, capture_output=True, check=False,
    )  # fmt: skip
    for name in outputs:
        assert (folder / name).exists(), told.stdout + told.stderr
        (OUT / name).write_bytes((folder / name).read_bytes())


if __name__ == "__main__":
    (command,) = sys.argv[1:]
    found = subprocess.run([command, "--version"], text=True, capture_output=True, check=True).stdout.split()
    assert VERSION in found, found
    OUT.mkdir(exist_ok=True)
    asked = list(QUESTIONS)
    evaluate(command, two_systems(asked), ["systems.jsonl", "systems.csv"])
    evaluate(command, two_systems(asked[8:12]), ["systems.json"])
    evaluate(command, contexts_in_vars(asked[:3]), ["vars.json"], "--repeat", "2")
    evaluate(command, failures(), ["graders.jsonl"])
