"""Runs the notebooks of docs/notebooks and stores what their cells give; a test holds the stored outputs against it.

    python docs/run_notebooks.py          runs every notebook and writes its outputs

Cells run in this process, each notebook in an empty folder of its own. A cell gives what a kernel would: what it
prints, and the value of its last expression as text, and as HTML or SVG where the value has them.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parent / "notebooks"
# Media type -> the method by which a value shows itself in it.
SHOWN_BY = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
Json = dict[str, Any]


def notebooks() -> list[Path]:
    """Every notebook, by name."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def executed(notebook: Json) -> Json:
    """The notebook with new outputs. An error of a cell is raised, with the cell's number."""
    import pandas

    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    # As wide as frames are in a notebook, whatever the terminal.
    with _empty_folder(), pandas.option_context("display.max_columns", 20, "display.width", 80):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell = {**cell, "execution_count": number, "outputs": _run("".join(cell["source"]), names, number)}
            cells.append(cell)
    return {**notebook, "cells": cells}


def written(notebook: Json) -> str:
    """The text of a notebook's file: the same for the same notebook."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def texts(notebook: Json) -> list[str]:
    """What a reader of the stored outputs reads as text: of each code cell what it printed and its value."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            found.append("".join(output.get("text") or output["data"]["text/plain"]))
            found += [f"({media})" for media in output.get("data", ()) if media != "text/plain"]
    return found


def _run(source: str, names: dict[str, Any], number: int) -> list[Json]:
    tree = ast.parse(source, f"cell {number}")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[Json] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for media, method in SHOWN_BY.items():
            if hasattr(value, method):
                data[media] = _lines(getattr(value, method)())
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@contextmanager
def _empty_folder() -> Iterator[None]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main() -> int:
    """Runs and writes every notebook."""
    for path in notebooks():
        path.write_text(written(executed(json.loads(path.read_text("utf-8")))), "utf-8")
        print(f"written: {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
