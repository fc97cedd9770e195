"""Measures of the code's layout: sizes, imports, cycles, names. `python tests/shape/house.py [SOURCE]` prints them.

SOURCE is a folder that holds the package `rankproof`; this checkout's where none is given.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankproof"
# A module that only one other imports, and that is shorter, belongs inside it.
SHORT = 80


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: from `module`, at `line`; `checked` where only the type checker imports it."""

    module: str
    name: str
    line: int
    checked: bool


class House:
    """The modules of a package by their dotted names, parsed once."""

    def __init__(self, source: Path = SOURCE) -> None:
        self.source = source
        self.files = {_dotted(file, source): file for file in sorted(source.rglob("*.py"))}
        self.texts = {module: file.read_text("utf-8") for module, file in self.files.items()}
        self.trees = {module: ast.parse(text) for module, text in self.texts.items()}

    @cached_property
    def imports(self) -> Mapping[str, tuple[Import, ...]]:
        """By module, what it imports of the package, wherever in the file the import stands."""
        return {module: tuple(self._imports(tree, False)) for module, tree in self.trees.items()}

    def _imports(self, node: ast.AST, checked: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    if alias.name.split(".")[0] == "rankproof":
                        yield Import(alias.name, "", child.lineno, checked)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"line {child.lineno}: relative import"
                if (child.module or "").split(".")[0] == "rankproof":
                    for alias in child.names:
                        whole = f"{child.module}.{alias.name}"
                        module, name = (whole, "") if whole in self.files else (child.module or "", alias.name)
                        yield Import(module, name, child.lineno, checked)
            else:
                only = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
                yield from self._imports(child, checked or only)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """By module, who imports it, in whatever way."""
        found: dict[str, set[str]] = defaultdict(set)
        for module, imports in self.imports.items():
            for one in imports:
                if one.module != module:
                    found[one.module].add(module)
        return {module: frozenset(found[module]) for module in self.files}

    def lines(self, module: str) -> int:
        """How long a module is."""
        return self.texts[module].count("\n")

    def short_with_one_importer(self) -> list[str]:
        """Modules that belong inside the one module that imports them; a public module stands on its own."""
        return [
            m for m, by in self.importers.items() if len(by) == 1 and {*by} != {"rankproof"} and self.lines(m) < SHORT
        ]

    def cycles(self) -> list[list[str]]:
        """Modules that import each other in a ring, imports inside functions included (Tarjan 1972)."""
        graph = {
            module: {one.module for one in imports if not one.checked and one.module in self.files} - {module}
            for module, imports in self.imports.items()
        }
        return [ring for ring in _components(graph) if len(ring) > 1]

    def class_names(self) -> Mapping[str, list[str]]:
        """By name, the modules that define a class of it, at whatever depth."""
        found: dict[str, list[str]] = defaultdict(list)
        for module, tree in self.trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(module)
        return found

    def private_imports(self) -> list[str]:
        """Imports of another top folder's underscore module or name."""
        return [
            f"{module}, line {one.line}: {one.module} {one.name}".rstrip()
            for module, imports in self.imports.items()
            for one in imports
            if room(one.module) != room(module)
            and any(re.match(r"_(?!_)", part) for part in (*one.module.split("."), one.name))
        ]

    def lines_with_any(self) -> int:
        """Lines that say `Any`, imports aside."""
        return sum(
            bool(re.search(r"\bAny\b", line)) and not re.match(r"\s*(from|import)\b", line)
            for text in self.texts.values()
            for line in text.splitlines()
        )


def room(module: str) -> str:
    """The top folder, or the top module, that a dotted name is in."""
    return module.partition(".")[2].partition(".")[0]


def _dotted(file: Path, source: Path) -> str:
    parts = file.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _components(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected components, without recursion."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in graph:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        work = [(root, iter(sorted(graph[root])))]
        while work:
            module, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    low[module] = min(low[module], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == number[module]:
                    ring = stack[stack.index(module) :]
                    del stack[stack.index(module) :]
                    found.append(sorted(ring))
    return found


def main(source: Path) -> None:
    """Prints the measures of a package."""
    house = House(source)
    sizes = [house.lines(module) for module in house.files]
    double = {name: modules for name, modules in house.class_names().items() if len(modules) > 1}
    for what, value in {
        "modules": len(sizes),
        "median lines": f"{median(sizes):g}",
        "largest": max(sizes),
        "over 400 lines": sum(size > 400 for size in sizes),
        f"one importer, under {SHORT} lines": len(house.short_with_one_importer()),
        "cycles, lazy imports included": len(house.cycles()),
        "class names": len(house.class_names()),
        "class names used twice": len(double),
        "underscore imports across top folders": len(house.private_imports()),
        "lines that say Any": house.lines_with_any(),
    }.items():
        print(f"{what:40} {value}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
