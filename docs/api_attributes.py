"""For the API reference: what the docstring of a class says about each attribute, put at the attribute.

Classes of this project say it under `Attributes:`, a line `name: meaning` for each, in a table of their docstring, a
line `name   meaning`, or in comments behind an attribute. mkdocstrings loads this as an extension of griffe.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROW = re.compile(r"^(\w+)(?:, \w+)*  +(\S.*)$")
HEAD = "Attributes:"
NAMED = re.compile(r"^    (\w+): (\S.*)$")


class ClassTables(griffe.Extension):
    """Gives each attribute that has no docstring its row or its comment."""

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Called once for each class that was read."""
        rows = table_of(cls.docstring.value) if cls.docstring else {}
        for name, member in cls.members.items():
            if member.is_alias or not member.is_attribute or member.docstring:
                continue
            if meaning := rows.get(name) or comment_of(member):
                member.docstring = griffe.Docstring(meaning, parent=member)
        if rows and cls.docstring:
            cls.docstring.value = without_table(cls.docstring.value)


def table_of(docstring: str) -> dict[str, str]:
    """The rows of the docstring's table: name -> meaning. A row goes on in lines that are indented further."""
    rows: dict[str, str] = {}
    last: list[str] = []
    inside = False
    for line in docstring.splitlines():
        inside = line.strip() == HEAD or (inside and (not line or line.startswith("  ")))
        if row := ROW.match(line):
            last = re.findall(r"\w+(?=,|  )", line[: row.start(2)])
            rows |= dict.fromkeys(last, row[2].strip())
        elif inside and (row := NAMED.match(line)):
            last = [row[1]]
            rows[row[1]] = row[2].strip()
        elif line.startswith("  ") and last:
            rows |= {name: f"{rows[name]} {line.strip()}" for name in last}
        else:
            last = []
    return rows


def without_table(docstring: str) -> str:
    """The docstring's prose."""
    kept: list[str] = []
    inside = False
    for line in docstring.splitlines():
        inside = line.strip() == HEAD or ROW.match(line) is not None or (inside and line.startswith("  "))
        if not inside:
            kept.append(line)
    return "\n".join(kept).strip()


def comment_of(member: griffe.Object) -> str:
    """What stands behind an attribute, `# ...`; not what is meant for a tool."""
    found = re.search(r"  # (?!noqa|type:)(.+)$", member.source) if member.lineno is not None else None
    return found[1].strip() if found else ""
