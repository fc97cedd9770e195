"""Writes the charts of docs/offline-to-online.md: both ramps of the story, day by day, from their own state files.

It follows the story in a folder that is thrown away: `python docs/charts_online.py`. The same users, the same bytes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "offline-to-online.md"
# Pixels: the size of a chart and the room around the plot.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 250, 52, 12, 34, 40
# Gray lines and text are readable on white and on black; the others have a shade for each.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #57606a; }
.title { font-weight: 600; }
.grid { stroke: #8c959f; stroke-opacity: .35; }
.zero { stroke: #8c959f; }
.step { stroke: #8c959f; stroke-dasharray: 2 3; }
.margin { stroke: #cf222e; stroke-dasharray: 6 4; }
.bounds { stroke-width: 3; stroke-linecap: round; stroke-opacity: .55; }
.good { stroke: #0969da; fill: #0969da; }
.bad { stroke: #cf222e; fill: #cf222e; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .margin { stroke: #ff7b72; }
  .good { stroke: #58a6ff; fill: #58a6ff; }
  .bad { stroke: #ff7b72; fill: #ff7b72; }
}
"""


@dataclass(frozen=True)
class Look:
    """One day: the share it had, the effect and its bounds, and whether the ramp stopped there."""

    share: float
    effect: float
    low: float
    high: float
    stopped: bool


def main() -> int:
    """Follow both ramps, then draw."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "story"
        shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", here)
        for script in ("online_users.py", "online_ramp.py"):
            shutil.copy(ROOT / "examples" / script, here)
        for name, text in files():
            (here / name).write_text(text)
        ramp(here, "ramp.toml", "--folder", "days")
        (here / "broken.toml").write_text((here / "ramp.toml").read_text().replace('"days"', '"broken"'))
        ramp(here, "broken.toml", "--folder", "broken", "--broken-from", "0.05")
        good, bad = (here / f"{name}.ramp.jsonl" for name in ("ramp", "broken"))
        draw("ramp-success.svg", "users who succeed, new against old", looks(good, "success"), (-20, 40))
        draw("ramp-latency.svg", "latency, new against old", looks(good, "latency"), (-30, 50), 10)
        draw("ramp-broken.svg", "latency, with the small cache from 5% on", looks(bad, "latency"), (-30, 50), 10)
    return 0


def files() -> Iterator[tuple[str, str]]:
    """The files that the page shows."""
    parts = PAGE.read_text(encoding="utf-8").split("The file ")
    for part in parts[1:]:
        name = part.split(":", 1)[0]
        yield name, part.split("```toml\n", 1)[1].split("```", 1)[0]


def ramp(here: Path, *args: str) -> None:
    """Follow one ramp to its end."""
    subprocess.run([sys.executable, "online_ramp.py", *args], cwd=here, check=True, stdout=subprocess.DEVNULL)


def looks(state: Path, metric: str) -> list[Look]:
    """One for each entry that saw the metric."""
    found = []
    for entry in map(json.loads, state.read_text().splitlines()):
        decision = entry["decision"]
        for ruling in (sign["ruling"] for sign in entry["evidence"]["signs"] if decision["step"]):
            if ruling["measure"] == metric:
                ends = (100 * at for at in (ruling["observed"], ruling["bounds"]["lower"], ruling["bounds"]["upper"]))
                found.append(Look(decision["before"], *ends, decision["action"] == "STOP_AND_ROLL_BACK"))
    return found


def draw(name: str, title: str, found: Sequence[Look], span: tuple[int, int], margin: float | None = None) -> None:
    """One chart: the effect of every look with its bounds, step after step."""
    low, high = span
    days = max(len(found), 6)

    def x(day: float) -> float:
        return LEFT + (day + 0.5) * (WIDTH - LEFT - RIGHT) / days

    def y(at: float) -> float:
        return TOP + (high - min(max(at, low), high)) * (HEIGHT - TOP - BOTTOM) / (high - low)

    def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
        return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'

    def text(at: float, down: float, said: str, anchor: str = "middle", kind: str = "") -> str:
        return f'<text x="{at:.1f}" y="{down:.1f}" text-anchor="{anchor}" class="{kind}">{said}</text>'

    parts = [text(LEFT, 18, title, "start", "title")]
    for at in range(low, high + 1, 10):
        parts.append(line("zero" if at == 0 else "grid", LEFT, y(at), WIDTH - RIGHT, y(at)))
        parts.append(text(LEFT - 8, y(at) + 4, f"{at:+d}%" if at else "0", "end"))
    if margin is not None:
        parts.append(line("margin", LEFT, y(margin), WIDTH - RIGHT, y(margin)))
    parts += [text(LEFT - 8, HEIGHT - 24, "day", "end"), text(LEFT - 8, HEIGHT - 8, "share", "end")]
    begin = 0
    for share, group in groupby(found, key=lambda look: look.share):
        end = begin + len(list(group))
        parts.append(text((x(begin) + x(end - 1)) / 2, HEIGHT - 8, f"{100 * share:g}%"))
        if end < len(found):
            parts.append(line("step", x(end - 0.5), TOP, x(end - 0.5), HEIGHT - 22))
        begin = end
    for day, look in enumerate(found):
        kind = "bad" if look.stopped else "good"
        parts.append(line(f"bounds {kind}", x(day), y(look.low), x(day), y(look.high)))
        parts.append(f'<circle class="{kind}" cx="{x(day):.1f}" cy="{y(look.effect):.1f}" r="3.5"/>')
        parts.append(text(x(day), HEIGHT - 24, str(day + 1)))
        if look.stopped:
            parts.append(text(x(day) + 12, y(look.effect) + 4, "stopped", "start"))
    body = "\n".join(parts)
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / name).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{title}">\n<style>{STYLE}</style>\n{body}\n</svg>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
