"""Every format on the shelf: recognized, read, written and read back, explained on its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.items import is_item
from tests.reading.formats.samples import RECORDS, SAMPLES, TOPICS, WITHOUT_SAMPLE, expected

import rankproof.reading.formats
from rankproof.kernel import shelf
from rankproof.reading.calls import read_calls
from rankproof.reading.collect import locate, read_qrels, read_rows, read_run, read_topics
from rankproof.reading.detect import record_format
from rankproof.reading.formats.contract import NOUNS, Format, Noun, Sure
from rankproof.reading.score_tables import read_score_table
from rankproof.reading.source import Source
from rankproof.reading.write import pieces, write

FORMATS: dict[str, Format] = dict(shelf.offered("formats"))
HELD = [(name, noun) for name, form in FORMATS.items() for noun in form.holds if noun in NOUNS]
RECORDED = [(name, noun) for name, form in FORMATS.items() for noun in form.holds if noun not in NOUNS]
WRITTEN = [(name, noun) for name, form in FORMATS.items() for noun in form.writes]
READERS: dict[Noun, Any] = {"run": read_run, "qrels": read_qrels, "topics": read_topics}


def content(record: Any) -> object:
    return record if isinstance(record, dict) else record.to_dict()


def test_every_format_is_in_a_group() -> None:
    assert set(SAMPLES) | WITHOUT_SAMPLE == set(HELD)
    assert not set(SAMPLES) & WITHOUT_SAMPLE


def test_every_file_of_the_shelf_offers() -> None:
    folder = Path(rankproof.reading.formats.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if is_item(path)}
    assert files == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_the_page_says_what_it_holds_and_every_option(name: str) -> None:
    form = FORMATS[name]
    holds = re.search(r"^holds: (.*)$", form.page, re.MULTILINE)
    assert holds is not None
    assert tuple(holds[1].split(", ")) == form.holds
    assert len(form.summary) > 20
    for option in form.options:
        assert re.search(rf"\b{option}=", form.page), option


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_reads_what_it_holds(name: str) -> None:
    form = FORMATS[name]
    assert form.holds
    assert set(form.holds) <= {*NOUNS, "scores", "calls"}
    reads_rows = "run" in form.holds or "qrels" in form.holds
    assert ((form.plan is None) != (form.rows is None)) == reads_rows
    assert ("topics" in form.holds) == (form.topics is not None)
    assert ("scores" in form.holds) == (form.scores is not None)
    assert ("calls" in form.holds) == (form.calls is not None)
    assert set(form.writes) <= set(form.holds)


def test_an_ending_names_one_format_for_each_noun() -> None:
    for noun in NOUNS:
        endings = [e for form in FORMATS.values() if noun in form.writes for e in form.endings]
        assert len(endings) == len(set(endings)), noun
        assert all(e.startswith(".") and e == e.casefold() for e in endings)


@pytest.mark.parametrize(("name", "noun"), list(SAMPLES))
def test_the_sample_is_recognized_by_content(name: str, noun: Noun) -> None:
    _, form = locate(SAMPLES[name, noun], noun)
    assert form.name == name


@pytest.mark.parametrize(("name", "noun"), list(SAMPLES))
def test_no_two_formats_are_certain_of_one_source(name: str, noun: Noun) -> None:
    source = Source("sample", SAMPLES[name, noun])
    for asked in NOUNS:
        certain = [f.name for f in FORMATS.values() if asked in f.holds and f.detect(source, asked) is Sure.CERTAIN]
        assert len(certain) <= 1, (asked, certain)


@pytest.mark.parametrize(("name", "noun"), list(SAMPLES))
def test_the_sample_reads_as_it_says(name: str, noun: Noun) -> None:
    by_content = READERS[noun](SAMPLES[name, noun])
    forced = READERS[noun](SAMPLES[name, noun], name)
    assert content(by_content) == content(forced) == expected(name, noun)
    if noun != "topics":
        rows, said = read_rows(SAMPLES[name, noun], noun)
        assert said.format == name
        assert said.notes, "what was decided is said"
        assert len(rows) == sum(len(docs) for docs in expected(name, noun).values())


@pytest.mark.parametrize(("name", "noun"), WRITTEN)
def test_what_is_written_reads_back(name: str, noun: Noun, tmp_path: Path) -> None:
    form = FORMATS[name]
    if noun == "topics":
        record: Any = TOPICS
    else:
        record = READERS[noun](SAMPLES[name, noun])
    path = tmp_path / f"written{form.endings[0]}"
    assert write(record, path) == name
    back = READERS[noun](path)
    assert content(back) == content(record)
    if noun != "topics":
        assert back.content_hash == record.content_hash
        _, said = read_rows(path, noun)
        assert said.format == name, "what is written is recognized"
    # Written again from what was read, the file is the same to the last byte.
    assert b"".join(pieces(back, form)) == path.read_bytes() or form.binary


@pytest.mark.parametrize(("name", "noun"), HELD)
def test_a_source_that_is_something_else_is_refused_with_a_message(name: str, noun: Noun) -> None:
    """Read as a format that it is not in, a text gives an error of ours or findings: never a run nobody meant."""
    if FORMATS[name].prefix:
        pytest.skip("not a file format: a collection is named, not detected")
    from rankproof.errors import InputError

    with pytest.raises(InputError) as error:
        READERS[noun](b"Once upon a time\nthere was a ranking.\n", name)
    assert "<bytes>" in str(error.value)


def test_every_record_of_another_tool_is_in_a_group() -> None:
    assert set(RECORDS) == set(RECORDED)


@pytest.mark.parametrize(("name", "noun"), list(RECORDS))
def test_a_record_is_recognized_by_content_and_reads_as_it_says(name: str, noun: Noun) -> None:
    sample, values = RECORDS[name, noun]
    form = record_format(Source("sample", sample), noun)
    assert form is not None
    assert form.name == name
    if noun == "calls":
        assert {task: [list(call) for call in calls] for task, calls in read_calls(sample).items()} == values
        return
    table = read_score_table(sample)
    read = {
        score: {unit: None if value != value else value for unit, value in zip(table.unit_ids, column, strict=True)}
        for score, column in table.values.items()
    }
    assert read == values
    assert table.notes, "what was taken for what"


def test_a_plain_table_is_no_record_of_another_tool() -> None:
    for name, noun in SAMPLES:
        assert record_format(Source("sample", SAMPLES[name, noun]), "scores") is None or (name, "scores") in RECORDS
        assert record_format(Source("sample", SAMPLES[name, noun]), "calls") is None or (name, "calls") in RECORDS


def test_the_contract_can_fail() -> None:
    """A format that says yes to everything would be certain of another's sample."""
    greedy = Format(name="greedy", page="", holds=("run",), detect=lambda source, noun: Sure.CERTAIN)
    source = Source("sample", SAMPLES["trec", "run"])
    sure = [form.detect(source, "run") for form in (greedy, FORMATS["trec"])]
    assert sure.count(Sure.CERTAIN) == 2
