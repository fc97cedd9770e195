"""Backups: sound copies that are for their owner alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.judging.store.acts import graded
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.judging.records import Project
from rankproof.judging.store import open_store
from rankproof.kernel.atomic import replace_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_backup_has_everything_and_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with open_store(tmp_path / "a.db") as store:
            store.projects.add(Project("shop", "Shop"), by="ann")
            for number in range(5):
                store.judgments.add("shop", graded(number))
            copy = tmp_path / "copy.db"
            assert store.backup(str(copy)) == copy.stat().st_size
            store.judgments.add("shop", graded(6))  # after it
            with raises(UsageError, "already"):
                store.backup(str(copy))
            with raises(UsageError, "cannot be made"):
                store.backup(str(tmp_path / "none" / "copy.db"))
    finally:
        os.umask(before)
    assert mode(copy) == 0o600
    with open_store(copy) as opened:
        assert len(opened.judgments.history("shop")) == 5


def test_a_private_file_stays_so_where_another_was(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("old")
    path.chmod(0o644)
    replace_file(str(path), [b"new"], private=True)
    assert (path.read_text(), mode(path)) == ("new", 0o600)
    path.chmod(0o644)
    replace_file(str(path), [b"newer"])
    assert mode(path) == 0o644
