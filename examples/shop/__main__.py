"""Writes the sample: `python -m examples.shop` from the root of the repository, or with another folder as argument."""

from __future__ import annotations

import sys
from pathlib import Path

from examples.shop.files import files

SHIPPED = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/shop"


def main(folder: Path) -> None:
    """Writes every file into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files().items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
