"""Mutants of the judging store: each file changed in one place, and the store's fast tests run on it.

A mutant that no test notices is a survivor: either the tests lack something, or the change changes nothing that can be
seen. test_mutants.py tries those that nobody may miss. By hand:

    python -m tests.judging.store.mutants            every mutant
    python -m tests.judging.store.mutants acts       those of acts.py
"""

from __future__ import annotations

import ast
import copy
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import rankproof.judging.store as package

# Loaded once, before the processes of the mutants are made.
for name in ("alembic.command", "alembic.config", "pytest", "sqlalchemy.dialects.sqlite", "rankproof.judging.files"):
    import_module(name)

FOLDER = Path(package.__file__).parent
HERE = Path(__file__).parent
# What decides which acts are kept, which of them hold, and who has what in hand.
FILES = ("acts", "database", "leases")
# Where a store may be and how its connections are set up, which test_schema.py asks; marks and preferences, whose rows
# test_acts.py compares whole.
ELSEWHERE = (
    "read_address", "no_store", "_file", "_why", "_engine", "_postgres", "Address", "MarkTable", "PreferenceTable",
)  # fmt: skip
# Fast, and without PostgreSQL: a mutant of its statements is noticed by the tests that are not chosen here.
TESTS = ("test_turns.py", "test_acts.py", "test_settling.py", "test_taking.py", "test_leases.py")
SECONDS = 120.0  # a mutant that waits for ever is noticed too
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


Step = tuple[str, int | None]


@dataclass(frozen=True)
class Mutant:
    """A file with one change. The name says where and what, and stays when lines move."""

    file: str
    where: str
    change: str
    path: tuple[Step, ...]
    node: ast.AST | None

    @property
    def tree(self) -> ast.Module:
        """The whole file, changed."""
        tree = ast.parse((FOLDER / f"{self.file}.py").read_text())
        _put(tree, list(self.path), self.node)
        return ast.fix_missing_locations(tree)

    @property
    def name(self) -> str:
        return f"{self.file}.{self.where}: {self.change}"


def short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else text[:97] + "..."


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    """What may be made of a node: a word for the change, and the node in its place; None where it is left out."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
        other = copy.deepcopy(node)
        other.ops = [SWAPS[type(node.ops[0])]()]
        yield f"{short(node)} -> {short(other)}", other
    if isinstance(node, ast.BoolOp):
        other_op = copy.deepcopy(node)
        other_op.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"{short(node)} -> {short(other_op)}", other_op
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"{short(node)} -> {short(node.operand)}", node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} -> {not node.value}", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield f"{node.value} -> {node.value + 1}", ast.Constant(node.value + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.BitAnd | ast.BitOr):
        pairs: dict[type[ast.operator], ast.operator] = {
            ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.BitAnd: ast.BitOr(), ast.BitOr: ast.BitAnd(),
        }  # fmt: skip
        other_bin = copy.deepcopy(node)
        other_bin.op = pairs[type(node.op)]
        yield f"{short(node)} -> {short(other_bin)}", other_bin
    if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield f"{short(node)} -> return None", ast.Return(ast.Constant(None))
    if isinstance(node, ast.Raise):
        yield f"{short(node)} -> pass", ast.Pass()
    if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign) and not _is_text(node):
        yield f"{short(node)} -> pass", ast.Pass()
    if isinstance(node, ast.If):
        for value in (True, False):
            other_if = copy.deepcopy(node)
            other_if.test = ast.Constant(value)
            yield f"if {short(node.test)} -> if {value}", other_if
    if isinstance(node, ast.Try):
        yield from _of_try(node)


def _of_try(node: ast.Try) -> Iterator[tuple[str, ast.AST]]:
    for at, handler in enumerate(node.handlers):
        other = copy.deepcopy(node)
        other.handlers[at].body = [ast.Raise()]
        yield f"except {short(handler.type) if handler.type else ''}: only raised again", other
    if node.finalbody:
        yield "finally -> nothing", ast.Module(copy.deepcopy(node.body), [])


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.AST) -> bool:
    """A docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def mutants(file: str) -> Iterator[Mutant]:
    """Every mutant of a file."""
    source = (FOLDER / f"{file}.py").read_text()
    tree = ast.parse(source)
    seen: dict[str, int] = {}
    for path, where in _places(tree, [], ""):
        if where.partition(".")[0] in ELSEWHERE:
            continue
        for change, node in changes(_at(tree, path)):
            name = f"{where} {change}"
            seen[name] = seen.get(name, 0) + 1
            change = change if seen[name] == 1 else f"{change} ({seen[name]})"
            yield Mutant(file, where, change, tuple(path), node)


def _places(node: ast.AST, path: list[Step], where: str) -> Iterator[tuple[list[Step], str]]:
    """Paths to all nodes inside of functions, without annotations and messages of errors."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
            continue
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            inside, here = where, [*path, (name, at)]
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                inside = f"{where}.{child.name}".lstrip(".")
            elif where:
                yield here, where
            yield from _places(child, here, inside)


def _at(node: ast.AST, path: list[Step]) -> ast.AST:
    for name, at in path:
        value = getattr(node, name)
        node = value if at is None else value[at]
    return node


def _put(tree: ast.AST, path: list[Step], node: ast.AST | None) -> None:
    *above, (name, at) = path
    parent = _at(tree, above)
    if at is None:
        setattr(parent, name, node)
    elif isinstance(node, ast.Module):
        getattr(parent, name)[at : at + 1] = node.body
    else:
        getattr(parent, name)[at] = node


def short_source(mutant: Mutant) -> str:
    """The changed file as text."""
    return ast.unparse(mutant.tree)


def survives(mutant: Mutant | None, tests: Sequence[str] = TESTS) -> bool:
    """Whether the tests pass on a mutant; on the code as it is for None. In a process of its own, for a while."""
    child = os.fork()
    if not child:
        os.setsid()
        os._exit(_tested(mutant, tests))
    try:
        return _passes(child)
    finally:
        shutil.rmtree(f"/dev/shm/rankproof-mutant-{child}", ignore_errors=True)


def _passes(child: int) -> bool:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _tested(mutant: Mutant | None, tests: Sequence[str]) -> int:
    import importlib.abc
    import importlib.util

    import pytest

    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for name in [
        name for name in sys.modules if name.startswith(("rankproof.judging.store", "rankproof.web", "tests."))
    ]:
        del sys.modules[name]
    if mutant is not None:

        class Loader(importlib.abc.InspectLoader):
            def get_source(self, fullname: str) -> str:
                return ast.unparse(mutant.tree)

            def get_code(self, fullname: str):  # type: ignore[no-untyped-def]
                return compile(mutant.tree, str(FOLDER / f"{mutant.file}.py"), "exec")

        class Finder(importlib.abc.MetaPathFinder):
            def find_spec(self, fullname, path, target=None):  # type: ignore[no-untyped-def]
                if fullname == f"rankproof.judging.store.{mutant.file}":
                    return importlib.util.spec_from_loader(fullname, Loader())
                return None

        sys.meta_path.insert(0, Finder())
    chosen = [str(HERE / test) for test in tests]
    # Where there is a file system in memory, nothing waits for the disk.
    if os.access("/dev/shm", os.W_OK):
        chosen.append(f"--basetemp=/dev/shm/rankproof-mutant-{os.getpid()}")
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-k", "not postgresql", "-m", "not full"]
    return int(pytest.main([*options, *chosen]))


def main(files: list[str]) -> None:
    for file in files or FILES:
        every = list(mutants(file))
        print(f"{file}.py: {len(every)} mutants", flush=True)
        for mutant in every:
            if survives(mutant):
                print(f"  SURVIVES: {mutant.name}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
