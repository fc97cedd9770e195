"""Charts in a real browser: no text is cut off, lies over another one or is crossed by a line, in any font."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.reports.chart_cases import cases

from rankproof.reports.charts.drawing import to_inline
from rankproof.reports.charts.frame import LIGHT, NOTEBOOK, PAGE, ChartStyle, declarations
from rankproof.reports.charts.stack import Reply, response_chart
from rankproof.reports.page.elements import PageSection, figure
from rankproof.reports.page.page import page

pytestmark = pytest.mark.slow
LOOKS = {
    "wide": ChartStyle(PAGE, 940, titled=False),
    "phone": ChartStyle(PAGE, 344, titled=False),
    "file": ChartStyle(LIGHT),
    "notebook": ChartStyle(NOTEBOOK, 720),
}
# Arial is what most pages get; DejaVu Sans is among the widest that any system has.
FONTS = {"arial": "Arial, sans-serif", "dejavu": "'DejaVu Sans', sans-serif"}
# Every fault of every drawing: in which case, what kind, with the texts. The box of a text is taller than its letters.
FAULTS = """() => {
  const faults = [], slack = 1.5;
  const meet = (a, b) => a.x + slack < b.x + b.width && b.x + slack < a.x + a.width &&
    a.y + slack < b.y + b.height && b.y + slack < a.y + a.height;
  for (const svg of document.querySelectorAll("svg")) {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const texts = [...svg.querySelectorAll("text")].map((text) => {
      const inside = [...text.childNodes].filter((part) => part.nodeName !== "title").map((part) => part.textContent);
      return [inside.join(""), text.getBBox(), text.hasAttribute("paint-order")];
    });
    const say = (...parts) => faults.push([svg.id, ...parts].join(" | "));
    if (!texts.length) say("no text at all");
    texts.forEach(([text, box, over], i) => {
      if (!box.width) say("empty", text);
      if (box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height) say("cut off", text);
      for (const [other, its] of texts.slice(i + 1)) if (meet(box, its)) say("overlap", text, other);
      for (const line of svg.querySelectorAll("line")) {
        // A name that lies over the grid has a halo in the color of the page.
        if (!over && meet(box, line.getBBox())) say("crossed", text);
      }
      for (const dot of svg.querySelectorAll("circle")) if (meet(box, dot.getBBox())) say("covers a dot", text);
    });
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def drawings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """A page for each look and font, with every case."""
    folder, every = tmp_path_factory.mktemp("drawings"), cases()
    pages = {}
    for look, style in LOOKS.items():
        body = "".join(
            to_inline(draw(style), "x").replace("<svg ", f'<svg id="{name}" ', 1) for name, draw in every.items()
        )
        for font, family in FONTS.items():
            path = folder / f"{look}-{font}.html"
            css = f":root{{{declarations(LIGHT)}}}body{{font-family:{family}}}svg{{display:block}}"
            path.write_text(f"<!doctype html><meta charset=utf-8><style>{css}</style>{body}", encoding="utf-8")
            pages[look, font] = path
    return pages


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("font", FONTS)
def test_no_text_is_cut_off_covered_or_crossed(
    browser: Any, drawings: dict[tuple[str, str], Path], look: str, font: str
) -> None:
    window = browser.new_page(viewport={"width": 1280, "height": 900})
    window.goto(drawings[look, font].as_uri())
    assert window.locator("svg").count() == len(cases())
    assert window.evaluate(FAULTS) == []
    window.close()


def test_the_check_itself_finds_what_is_wrong(browser: Any) -> None:
    window = browser.new_page()
    window.set_content(
        '<svg id="a" viewBox="0 0 100 40"><text x="90" y="20">too long</text></svg>'
        '<svg id="b" viewBox="0 0 200 40"><text x="9" y="20">one</text><text x="12" y="20">two</text></svg>'
        '<svg id="c" viewBox="0 0 200 40"><text x="9" y="20">one</text><line x1="0" y1="16" x2="99" y2="16"/></svg>'
        '<svg id="d" viewBox="0 0 200 40"><text x="9" y="20">one</text><circle cx="12" cy="16" r="4"/></svg>'
    )
    assert [fault.split(" | ")[:2] for fault in window.evaluate(FAULTS)] == [
        ["a", "cut off"], ["b", "overlap"], ["c", "crossed"], ["d", "covers a dot"],
    ]  # fmt: skip
    window.close()


def test_a_click_on_a_chart_without_queries_is_no_error_and_the_value_is_told(browser: Any, tmp_path: Path) -> None:
    """The page of a search over parameters has charts whose rows go across, and no table of queries to look in."""
    replies = [Reply(str(i), 0.01 * i, 0.0, None, None) for i in range(4)]
    drawn = figure(
        lambda look: response_chart(replies, "k1", "AP", look), "gain", None, tips=[[f"value {i}"] for i in range(4)]
    )
    path = tmp_path / "page.html"
    path.write_text(page("t", "tuning", (), (PageSection("p", "p", None, (drawn,)),)), encoding="utf-8")
    window, wrong = browser.new_page(viewport={"width": 1280, "height": 900}), []
    window.on("pageerror", lambda error: wrong.append(str(error)))
    window.goto(path.as_uri())
    dot = window.locator(".wide [data-row]").nth(2)
    dot.hover()
    assert window.locator("#tip").inner_text() == "value 2"
    dot.click()
    assert wrong == []
    window.close()
