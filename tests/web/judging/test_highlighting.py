"""Words of a query in a text: in their forms, in every script, at the right offsets, and as text only."""

from __future__ import annotations

import time
from itertools import pairwise

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.judging.records import Template
from rankproof.web.documents import show_document
from rankproof.web.highlighting.folding import fold
from rankproof.web.highlighting.marks import mark
from rankproof.web.render import FOLDER


def marked(query: str, text: str) -> list[str]:
    return [part.text for part in mark(text, query) if part.marked]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("red shoes", "Red SHOE, a shoemaker's shoes; redder", ["Red", "SHOE", "shoes"]),
        ("walk", "walks walked walking walker walkway", ["walks", "walked", "walking", "walker"]),
        ("run", "running ran runs rung runt", ["running", "ran", "runs"]),
        ("making", "make makes made maker", ["make", "makes", "made", "maker"]),
        ("city", "cities citizen", ["cities"]),
        ("knife", "knives", ["knives"]),
        ("children", "a child's room", ["child's"]),
        ("bear", "beard bears", ["bears"]),
        ("plan", "plant plane plans", ["plans"]),
        ("shoes for the rain", "for the rain", ["rain"]),
        ("to be or not to be", "to be", ["to", "be"]),
        ("zapato", "zapatos", ["zapatos"]),
        ("cheval", "chevaux", ["chevaux"]),
        ("Haus", "Häuser am Haus", ["Häuser", "Haus"]),
        ("scarpa", "scarpe", ["scarpe"]),
        ("ботинки", "ботинок ботинками ботаника", ["ботинок", "ботинками"]),
        ("красный", "красная красного красивый", ["красная", "красного"]),
        ("παπούτσι", "παπούτσια ΠΑΠΟΥΤΣΙ", ["παπούτσια", "ΠΑΠΟΥΤΣΙ"]),
        ("जूता", "जूते जूतों", ["जूते", "जूतों"]),
        ("נעל", "הנעל", ["הנעל"]),
    ],
)
def test_forms(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("Straße", "STRASSE", ["STRASSE"]),
        ("cafe", "Cafe\u0301s und café", ["Cafe\u0301s", "café"]),
        ("résumé", "resume", ["resume"]),
        ("Schluessel", "Schlüssel", ["Schlüssel"]),
        ("Schlüssel", "Schluessel", ["Schluessel"]),
        ("smørrebrød", "smorrebrod", ["smorrebrod"]),
        ("istanbul", "İstanbul ISTANBUL", ["İstanbul", "ISTANBUL"]),
        ("Nguyễn", "nguyen", ["nguyen"]),
        ("shoe", "ｓｈｏｅ 𝐬𝐡𝐨𝐞𝐬", ["ｓｈｏｅ", "𝐬𝐡𝐨𝐞𝐬"]),
        ("12", "١٢ 12", ["١٢", "12"]),
    ],
)
def test_accents_and_forms_of_letters(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("wifi", "Wi-Fi wi\u2011fi wi fi", ["Wi-Fi", "wi\u2011fi", "wi fi"]),
        ("wi-fi", "wifi", ["wifi"]),
        ("e-mail", "email e-mail", ["email", "e-mail"]),
        ("HX-450", "The HX-450 and the hx 451", ["HX-450", "hx"]),
        ("notebook", "note book", ["note book"]),
        ("note book", "notebook", ["notebook"]),
        ("trail running", "Trail-running", ["Trail-running"]),
        ("Schuhe", "Wanderschuhen Wander-Schuh", ["schuhen", "Schuh"]),
        ("Wanderschuhe", "Schuhe", ["Schuhe"]),
        ("phone case", "smartphone-case phones", ["phone", "case", "phones"]),
        ("co\u00adoperate", "cooperate", ["cooperate"]),
    ],
)
def test_hyphens_and_compounds(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("红色的跑步鞋", "新款跑步鞋，红色。我的鞋", ["跑步鞋", "红色"]),
        ("鞋", "跑步鞋", ["鞋"]),
        ("赤い靴を買う", "赤い革靴。靴を買いたい", ["赤い", "靴", "靴", "買"]),
        ("ランニングシューズ", "シューズ、ランニング用", ["シューズ", "ランニング"]),
        ("シューズ", "ﾗﾝﾆﾝｸﾞｼｭｰｽﾞ", ["ｼｭｰｽﾞ"]),
        ("ファッション", "クッション", []),
        ("りんご", "青いりんごです", ["りんご"]),
        ("食べている", "寝ている", []),
        ("ガス", "カス", []),
        ("운동화", "남성 운동화를 샀다", ["운동화"]),
        ("운동화를", "운동화", ["운동화"]),
        ("옷을", "옷 옷장", ["옷"]),
        ("신발", "신발", ["신발"]),
        ("รองเท้าวิ่งผู้ชาย", "รองเท้าสำหรับวิ่ง", ["รองเท้า", "วิ่ง"]),
        ("ผ้า", "ผา ผ้าไหม", ["ผ้า"]),
        ("การวิ่ง", "การนอน", []),
        ("iPhone手机壳", "手机壳 for iphones", ["手机壳", "iphones"]),
    ],
)
def test_scripts_without_spaces(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("كتاب", "الكِتَاب والكتاب كتـــاب مكتبة", ["الكِتَاب", "والكتاب", "كتـــاب"]),
        ("أحذية", "احذية الأحذية للأحذيه", ["احذية", "الأحذية", "للأحذيه"]),
        ("مدرسة", "مدرسه", ["مدرسه"]),
        ("رياضي", "رياضية الرياضيين", ["رياضية", "الرياضيين"]),
        ("کتاب", "كتاب", ["كتاب"]),
        ("في البيت", "في بيت", ["بيت"]),
        ("ﻛﺘﺎﺏ", "كتاب", ["كتاب"]),
    ],
)
def test_arabic(query: str, text: str, expected: list[str]) -> None:
    assert marked(query, text) == expected


@pytest.mark.parametrize(
    "text", ["e\u0301tude", "😀 étude 😀", "\U0001f468\u200d\U0001f469 e\u0301\u0327tude", "x\u0301 étude"]
)
def test_offsets_are_those_of_the_text(text: str) -> None:
    (found,) = marked("etude", text)
    assert fold(found).text == "etude"
    assert found[0] in "eé"
    assert not text[text.index(found) + len(found) :][:1] or text[text.index(found) + len(found)] == " "


ALPHABET = "aeésS-'ßİ\u0301\u0327\u200d\u00ad 赤い靴ガｶﾞ운동화ᄀ\u1161รองเท้าน้ำكتابـًالआ़े😀𝐬\ud800<>&\"0١"
texts = st.one_of(st.text(max_size=40), st.text(alphabet=ALPHABET, max_size=40))


@given(text=texts, query=texts)
@settings(max_examples=examples(150), deadline=None)
def test_the_pieces_together_are_the_text(text: str, query: str) -> None:
    parts = mark(text, query)
    assert "".join(part.text for part in parts) == text
    assert all(part.text for part in parts)
    assert all(one.marked != other.marked for one, other in pairwise(parts))


@given(text=texts)
@settings(max_examples=examples(100), deadline=None)
def test_a_fold_has_an_offset_for_each_letter_in_order(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))


@given(word=st.text(alphabet="abcdeéあ靴ア운동รองكتا", min_size=2, max_size=12))
@settings(max_examples=examples(100), deadline=None)
def test_a_text_that_is_the_query_is_marked(word: str) -> None:
    assert mark(word, word)
    if word.isalpha() and word.isascii():
        assert marked(word, word) == [word]


@pytest.mark.parametrize("query", ["<script>", "</mark><script>alert(1)</script>", '"onload=', "&lt;", "{{7*7}}"])
def test_markup_stays_text(query: str) -> None:
    text = f"a {query} b <img src=x onerror=alert(1)> script onload alert"
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True)
    html = made.from_string(
        '{% from "_judge_document.html" import document with context %}{{ document(shown) }}'
    ).render(shown=show_document(Template(), "<b>", {"title": text, "text": text}, query))
    assert "<script" not in html
    assert "<img src=x" not in html
    assert "49" not in html
    assert html.count("<mark>") == html.count("</mark>")


def test_long_texts_are_quick() -> None:
    text = "The quick brown fox, 赤い靴を買う、รองเท้าวิ่ง كتاب جديد. " * 4000
    began = time.process_time()
    assert mark(text, "fox 赤い靴 รองเท้าวิ่งกันน้ำ كتب")
    assert time.process_time() - began < 3
    assert "".join(part.text for part in mark("靴" * 3000, "靴" * 1000)) == "靴" * 3000
