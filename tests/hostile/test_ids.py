"""Ids of any script and any length: compared byte by byte, never folded, never cut, and shown without harm."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from tests.hostile.command import apart, here
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Refused

IDS = [
    "文書", "ドキュメント", "문서", "документ", "έγγραφο", "दस्तावेज़", "เอกสาร", "መዝገብ", "𓂀", "🦆", "👩‍👩‍👧‍👦", "🇺🇳",
    "مستند", "מסמך", "\u202eright-to-left", "\u200b", "\ufeff", "e\u0301", "é", "ﬁ", "fi", "K", "\u212a", "ß", "SS",
    "İ", "\u00a0", "\u2028", "\u3000", "\x7f", "\x1b[31m", "\x01", "-", "0", "00", "#",
    "'", '"', '""', ",", ";", "|", "\\", "%s", "{}", "$(x)", "../x", "=1+1", "[bold]", "[/]", "</td>", "NaN", "null",
]  # fmt: skip


def trec_run(ids: list[str], query: str = "問い") -> bytes:
    return "".join(f"{query} Q0 {doc} {i} {1000 - i} t\n" for i, doc in enumerate(ids, start=1)).encode()


def trec_qrels(grades: dict[str, int], query: str = "問い") -> bytes:
    return "".join(f"{query} 0 {doc} {grade}\n" for doc, grade in grades.items()).encode()


@pytest.mark.parametrize("wanted", IDS)
def test_one_id_is_found_and_no_other(wanted: str) -> None:
    found = rankproof.evaluate(trec_qrels({wanted: 1}), trec_run(IDS), "RR NumRelRet")
    assert found["RR"].mean == 1 / (IDS.index(wanted) + 1)
    assert found["NumRelRet"].mean == 1
    others = [other for other in IDS if other != wanted]
    assert rankproof.evaluate(trec_qrels({wanted: 1}), trec_run(others), "RR")["RR"].mean == 0
    in_dicts = rankproof.evaluate({"問い": {wanted: 1}}, {"問い": {doc: -float(i) for i, doc in enumerate(IDS)}}, "RR")
    assert in_dicts["RR"].mean == found["RR"].mean


def test_two_forms_of_one_letter_are_two_ids_and_the_reader_is_told() -> None:
    composed, apart_ = unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")
    assert composed != apart_
    qrels, run = trec_qrels({composed: 1}, "q"), trec_run([apart_], "q")
    assert rankproof.evaluate(qrels, run, "RR")["RR"].mean == 0
    both = trec_run([apart_, composed], "q")
    assert rankproof.evaluate(qrels, both, "RR")["RR"].mean == 0.5


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex", "json", "trec"])
def test_every_report_holds_every_query_id(form: str, tmp_path: Path) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    queries = [query for query in IDS if not query.startswith("#")]
    qrels.write_bytes(b"".join(trec_qrels({"d": 1}, query) for query in queries))
    run.write_bytes(b"".join(trec_run(["d"], query) for query in queries))
    told = here("evaluate", qrels, run, "-q", "-m", "RR", "--format", form)
    assert (told.status, told.err) == (0, "")
    if form == "json":
        values = json.loads(told.out)["evaluations"][0]["measures"]["RR"]["by_query"]
        assert values == dict.fromkeys(queries, 1.0)
    if form in ("table", "markdown", "latex"):
        assert "\x1b" not in told.out, "an id must not command a terminal"


def test_a_terminal_that_knows_no_unicode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    monkeypatch.setenv("PYTHONUTF8", "0")
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_bytes(trec_qrels({"d": 1}))
    run.write_bytes(trec_run(["d"]))
    told = apart("evaluate", qrels, run, "-q", "-m", "RR")
    assert told.status == 0
    assert "\\u554f" in told.out
    twice = tmp_path / "twice.run"
    twice.write_bytes(trec_run(["文書", "文書"]))
    assert "line 2" in apart("evaluate", qrels, twice).refused()


@pytest.mark.parametrize("length", [15, 16, 17, 63, 64, 65, 4095, 65_535, 100_000, 3_000_000])
def test_long_ids(length: int) -> None:
    # Equal up to the last letter: whoever compares only a beginning is found out.
    long, other = "x" * (length - 1) + "a", "x" * (length - 1) + "b"
    qrels = trec_qrels({long: 1}, "q")
    run = trec_run([other, long], "q")
    found = rankproof.evaluate(qrels, run, "RR", qrels_format="trec", run_format="trec")
    assert found["RR"].mean == 0.5
    assert rankproof.evaluate({"q": {long: 1}}, {"q": {other: 2.0, long: 1.0}}, "RR")["RR"].mean == 0.5
    with pytest.raises(Refused) as refused:
        rankproof.evaluate(qrels, trec_run([long, long], "q"), "RR", qrels_format="trec", run_format="trec")
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("bad", ["\ud800", "d\udcff", "\udc80\ud800", "x\udfff"])
@pytest.mark.parametrize("listed", [False, True])
def test_lone_surrogates_are_refused_wherever_they_stand(bad: str, listed: bool) -> None:
    good = {"q1": {"d1": 1}}
    for run in ({"q1": {bad: 2.0, "d1": 1.0}}, {bad: {"d1": 1.0}, "q1": {"d1": 1.0}}):
        asked = {query: list(docs) for query, docs in run.items()} if listed else run
        with raises(Refused, "<dict>", "row 1", "undecodable_bytes"):
            rankproof.evaluate(good, asked, "RR")
        with raises(Refused, "<dict>", "row 1", "undecodable_bytes"):
            rankproof.read_run(asked)
    for qrels in ({"q1": {bad: 2, "d1": 1}}, {bad: {"d1": 1}, "q1": {"d1": 1}}):
        with raises(Refused, "<dict>", "row 1", "undecodable_bytes"):
            rankproof.evaluate(qrels, good, "RR")


@pytest.mark.parametrize("run", [{"": {"d1": 1.0}}, {"q1": {"": 1.0, "d1": 0.5}}, {"q1": ["", "d1"]}])
def test_an_empty_id_is_refused(run: dict[str, dict[str, float]]) -> None:
    for what in (run, json.dumps(run).encode()):
        with raises(InputError, "row 1", "id", "empty"):
            rankproof.evaluate({"q1": {"d1": 1}}, what, "RR")
        with raises(InputError, "row 1", "id", "empty"):
            rankproof.read_run(what)


def test_a_file_name_that_is_not_text(tmp_path: Path) -> None:
    name = tmp_path / "caf\udce9.run"
    try:
        name.write_bytes(trec_run(["d"]))
    except OSError:
        pytest.skip("this file system takes no such name")
    qrels = tmp_path / "a.qrels"
    qrels.write_bytes(trec_qrels({"d": 1}))
    assert apart("evaluate", qrels, name).status == 0
    told = apart("evaluate", qrels, name, "--json")
    assert json.loads(told.out)["evaluations"][0]["run"] == "caf\udce9"
    assert "caf\\udce9" in apart("evaluate", name, qrels).refused()
    for args in (
        ["evaluate", name, qrels],
        ["runs", "validate", tmp_path / "\udce9"],
        ["evaluate", qrels, tmp_path / "\udce9"],
    ):
        told = apart(*args, "--json")
        assert told.status == 1
        assert "\udce9" in json.dumps(json.loads(told.out), ensure_ascii=False)
