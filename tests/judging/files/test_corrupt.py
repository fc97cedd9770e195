"""Files that are cut off, packed badly or in another encoding: a message that names the file, never a fault."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

from rankproof.errors import RankproofError
from rankproof.judging.files import read_any
from rankproof.judging.store import open_store

TABLE = b"judge,query_id,doc_id,grade\n" + b"".join(b"ann,q%d,d%d,%d\n" % (i, i, i % 4) for i in range(500))
JSON = b'{"rankproof":"0","schema":"acts/1","project":"s","kind":"judgments","acts":['


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("acts.csv", TABLE)
    return out.getvalue()


CORRUPT = {
    "gzip, cut off": gzip.compress(TABLE)[:-12],
    "gzip, damaged": gzip.compress(TABLE)[:60] + b"\xff" * 80 + gzip.compress(TABLE)[140:],
    "bzip2, cut off": bz2.compress(TABLE)[:-12],
    "xz, cut off": lzma.compress(TABLE)[:-12],
    "zip": zipped(),
    "zip, cut off": zipped()[:40],
    "a NUL in a cell": TABLE + b"ann,q\x00,d1,1\n",
    "a NUL in the header": TABLE.replace(b"grade", b"gra\x00de"),
    "latin-1": TABLE + b"ann,caf\xe9,d1,1\n",
    "utf-16 without a mark": TABLE.decode().encode("utf-16-le"),
    "cut off inside of quotes": TABLE + b'ann,q1,"d1,1\n',
    "too few cells": TABLE + b"ann,q1\n",
    "too many cells": TABLE + b"ann,q1,d1,1,1\n",
    "json, cut off": JSON + b'{"judge":"ann","query_id":"q',
    "json with another thing in it": JSON + b"7]}",
    "json with a grade that is no number": JSON
    + b'{"key":"k","judge":"a","query_id":"q","doc_id":"d","grade":[1],"reason":"","note":"","time":"",'
    b'"source":{"kind":"person"},"withdraws":""}]}',
    "a grade beyond every number": TABLE + b"ann,q1,d1,1e999\n",
    "a grade of a thousand digits": TABLE + b"ann,q1,d1," + b"9" * 5000 + b"\n",
    "half a character": b'{"judge":"ann","query_id":"q","doc_id":"\\ud800","grade":1',
    "an image": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    "nothing": b"",
}


@pytest.mark.parametrize("content", CORRUPT.values(), ids=CORRUPT.keys())
@pytest.mark.parametrize("judge", ["", "ann"])
def test_it_is_refused_with_a_message(tmp_path: Path, content: bytes, judge: str) -> None:
    path = tmp_path / "acts.csv"
    path.write_bytes(content)
    with pytest.raises(RankproofError) as refused:
        read_any(str(path), judge)
    assert "acts.csv" in str(refused.value)
    assert len(str(refused.value)) < 2000


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7])
def test_a_store_that_is_cut_off_is_refused_with_a_message(tmp_path: Path, share: float) -> None:
    path = tmp_path / "judging.db"
    with open_store(path) as store:
        store.audit.add("", "x")
    whole = path.read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(RankproofError) as refused:
        _everything(tmp_path / "cut.db")
    assert "cut.db" in str(refused.value)


def _everything(path: Path) -> None:
    with open_store(path) as store:
        store.audit.all()
        store.projects.all()
        store.leases.news("shop")
