"""Writes the rankings of the ladder that come with the package, from a folder that `rankproof demo --live` wrote.

rankproof demo --live -o demo-report
python -m examples.shop.ladder demo-report
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/ladder"


def files(report: Path) -> dict[str, bytes]:
    """Name to content of every file that is made. Packed without name and time: the same rankings, the same bytes."""
    fetched = json.loads((report / "fetch.json").read_text("utf-8"))
    del fetched["observed"]
    runs = {mode["mode"]: (report / mode["run"]).read_bytes() for mode in fetched["modes"]}
    packed = {f"{mode}.run.gz": gzip.compress(run, 9, mtime=0) for mode, run in runs.items()}
    return packed | {"fetch.json": f"{json.dumps(fetched, indent=2)}\n".encode()}


def main(report: Path, folder: Path = SHIPPED) -> None:
    """Writes every file into the folder."""
    for name, content in files(report).items():
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
