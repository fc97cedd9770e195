"""The license of a fetched model: a text in `licenses` beside the weights, which `rankproof models show` prints.

It is the one that came with the files. Some artifacts come without; the models whose cards come with rankproof have the
text of their authors here. Where nobody has it, MODEL.txt says so, and where the authors' page is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Final

from rankproof.kernel.atomic import replace_file
from rankproof.stack.models.cards import KNOWN, ModelCard

LICENSES: Final = "licenses"
LICENSE: Final = "LICENSE"
ABOUT: Final = "MODEL.txt"
MOST_TEXT: Final = 4 << 20  # bytes
_BEGINS: Final = ("license", "licence", "copying")

# By the name in a card; the notice stands in the model's own entry.
TEXTS: Final[Mapping[str, str]] = {
    "MIT": """\
MIT License

{notice}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
""",
}


def keep_licenses(
    part: str, card: ModelCard, came: Mapping[str, str], copy: Callable[[str, str], None], where: str
) -> None:
    """Writes the licenses of a model that is being fetched into its folder.

    came    what a file of the source is called there, by its name here; `copy` writes one to a path
    where   the source, in words
    """
    folder = os.path.join(part, LICENSES)
    os.makedirs(folder, exist_ok=True)
    left_out = []
    for target, inside in came.items():
        path = os.path.join(folder, target)
        copy(inside, path)
        if os.path.getsize(path) > MOST_TEXT:
            os.remove(path)
            left_out.append(f"Left out: {inside}, more than {MOST_TEXT:,} bytes")
    known = KNOWN.get(card.name)
    if known is not None and known.card.license == card.license and license_file(part) is None:
        text = TEXTS[card.license].format(notice=known.notice)
        replace_file(os.path.join(folder, LICENSE), [text.encode()])
    file = license_file(part)
    lines = [
        card.title or card.name,
        f"License: {card.license}",
        f"License text: {'none came with the files; see the page' if file is None else os.path.basename(file)}",
        f"Authors' page: {card.source}",
        f"Taken from: {where}",
        *left_out,
    ]
    replace_file(os.path.join(folder, ABOUT), ["".join(f"{line}\n" for line in lines).encode("utf-8", "replace")])


def license_file(folder: str) -> str | None:
    """The file with the license of the model in a folder; None where there is none."""
    place = os.path.join(folder, LICENSES)
    names = sorted(os.listdir(place), key=lambda name: (len(name), name)) if os.path.isdir(place) else []
    return next((os.path.join(place, name) for name in names if name.lower().startswith(_BEGINS)), None)


def license_text(folder: str) -> str | None:
    """The text of the license of a fetched model; None where there is none that can be read."""
    file = license_file(folder)
    if file is None:
        return None
    try:
        with open(file, "rb") as opened:
            return opened.read(MOST_TEXT).decode("utf-8", "replace")
    except OSError:
        return None
