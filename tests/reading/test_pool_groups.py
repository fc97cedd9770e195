"""The groups of a pool's runs: which files are read, which lines are refused and what the refusals name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.pool_groups import read_pool_groups

COMPARED = {"a": "a.run", "b": "b.run"}


def file(folder: Path, text: str) -> str:
    path = folder / "groups.csv"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "run,group\na,x\nb,y\n",
        "group;run\nx;a\ny;b\n",
        "run\tgroup\tyear\na\tx\t2020\nb\ty\t\n",
        "run, group, file\na, x,\n\nb, y,\n",
        '\ufeffrun,group\r\n"a","x"\r\nb,y\r\n',
    ],
)
def test_a_header_and_a_line_for_each_run(text: str, tmp_path: Path) -> None:
    groups = read_pool_groups(file(tmp_path, text), COMPARED)
    assert dict(groups.group_of) == {"a": "x", "b": "y"}
    assert groups.names == ("x", "y")
    assert groups.files == {}


def test_further_runs_are_files_beside_the_file_of_groups(tmp_path: Path) -> None:
    """A file that is only named need not be there yet: reading the run says so. A name alone must be one."""
    (tmp_path / "c.run").write_text("")
    text = "run,group,file\na,x,\nb,y,\nc.run,z,\nd,z,sub/d.run\ne,z,/runs/e.run\n"
    groups = read_pool_groups(file(tmp_path, text), COMPARED)
    assert groups.files == {
        "c.run": str(tmp_path / "c.run"),
        "d": str(tmp_path / "sub" / "d.run"),
        "e": "/runs/e.run",
    }


def test_a_compared_run_may_name_its_own_file_and_no_other(tmp_path: Path) -> None:
    path = file(tmp_path, "run,group,file\na,x,runs/../a.run\nb,y,\n")
    assert read_pool_groups(path, {"a": str(tmp_path / "a.run"), "b": "b.run"}).files == {}
    with raises(UsageError, "a", "other/a.run", os.path.join(str(tmp_path), "runs/../a.run")):
        read_pool_groups(path, {"a": "other/a.run", "b": "b.run"})


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ["run", "group"]),
        ("run,group\n", ["run", "group"]),
        ("a,x\nb,y\n", ["run", "group", "a"]),
        ("run,team\na,x\nb,y\n", ["group", "team"]),
        ("run,group\na,x\nb\n", [3, 1, 2]),
        ("run,group\na,x\nb,\n", ["run 2"]),
        ("run,group\na,x\n,y\n", ["run 2"]),
        ("run,group\na,x\nb,y\na,y\n", ["a", "run 3"]),
    ],
)
def test_a_file_that_is_none_is_refused_with_the_place(text: str, values: list[object], tmp_path: Path) -> None:
    path = file(tmp_path, text)
    with raises(InputError, path, *values):
        read_pool_groups(path, COMPARED)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("run,group\na,x\nb,y\nc,z\n", ["run 3", "c", "a", "b", "file"]),
        ("run,group\na,x\n", ["b"]),
        ("run,group\na,x\nb,x\n", ["x", 2]),
    ],
)
def test_groups_that_do_not_fit_the_runs_are_a_usage_error(text: str, values: list[object], tmp_path: Path) -> None:
    path = file(tmp_path, text)
    with raises(UsageError, path, *values):
        read_pool_groups(path, COMPARED)


def test_a_run_that_the_caller_has_in_memory_needs_a_group_and_no_file() -> None:
    groups = read_pool_groups({"a": "x", "b": "y", "c": "z"}, {"a": {}, "b": {}}, ["c"])
    assert groups.files == {}
    with raises(UsageError, "c"):
        read_pool_groups({"a": "x", "b": "y"}, {"a": {}, "b": {}}, ["c"])
