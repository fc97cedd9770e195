"""Where rankproof is installed from: one switch, and every line of the documents and of the action that follows it.

    python docs/install.py             writes the lines as ON_INDEX says
    python docs/install.py --check     fails where a file says otherwise, and names the line
    python docs/install.py --released  fails too while this may not be released; asked by the release job

Until a release is on the package index, rankproof is installed from its repository. To release: set ON_INDEX, put the
repository's owner into OWNER, run this, and push a tag.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

# The switch. True once `pip install rankproof` finds a release.
ON_INDEX = False
# Whoever owns the repository; OWNER stands for it until it has a place.
OWNER = "OWNER"

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = f"https://github.com/{OWNER}/rankproof"


@dataclass(frozen=True, slots=True)
class InstallLine:
    """Text that stands in a file, `times` times: from the repository before a release, from the index after it."""

    path: str
    before: str
    after: str
    times: int = 1


LINES = (
    InstallLine("README.md", "pip install .          # in a clone", "pip install rankproof  # or . in a clone"),
    InstallLine("docs/install.md", "pip install .\n", "pip install rankproof\n"),
    InstallLine("docs/index.md", "pip install .\n", "pip install rankproof\n"),
    InstallLine("docs/doors/evaluate.md", "pip install .\n", "pip install rankproof\n"),
    InstallLine("docs/doors/ship.md", "pip install .\n", "pip install rankproof\n"),
    InstallLine("docs/doors/judge.md", "pip install '.[judge]'\n", "pip install 'rankproof[judge]'\n"),
    InstallLine("docs/doors/ab-test.md", "pip install .\n", "pip install rankproof\n"),
    InstallLine("docs/install.md", "pip install '.[stack]'\n", "pip install 'rankproof[stack]'\n"),
    InstallLine("docs/gate.md", f"pip install git+{REPOSITORY}\n", "pip install rankproof\n", 2),
    InstallLine(
        "docs/tutorial-search-api.md",
        f"run: pip install 'rankproof[stack] @ git+{REPOSITORY}'\n",
        "run: pip install 'rankproof[stack]'\n",
    ),
    # A dot is the action's own checkout, at the version that a workflow names.
    InstallLine("action.yml", 'default: "."\n', "default: rankproof\n"),
    InstallLine("docs/action.md", "| `install` | `.` |", "| `install` | `rankproof` |"),
)


def texts(root: Path, on_index: bool) -> dict[Path, str]:
    """Every file with its lines as the switch says; ValueError for a file in which one of them is neither way."""
    found: dict[Path, str] = {}
    for line in LINES:
        path = root / line.path
        text = found.get(path) or path.read_text(encoding="utf-8")
        now, other = (line.after, line.before) if on_index else (line.before, line.after)
        if text.count(now) != line.times:
            if text.count(other) != line.times:
                raise ValueError(f"{line.path} does not say {now.strip()!r}, nor {other.strip()!r}, {line.times} times")
            text = text.replace(other, now)
        found[path] = text
    return found


def stale(root: Path, on_index: bool) -> list[str]:
    """The files that do not say what the switch says."""
    return [
        str(path.relative_to(root)) for path, text in texts(root, on_index).items() if path.read_text("utf-8") != text
    ]


def unready(owner: str = OWNER, on_index: bool = ON_INDEX) -> list[str]:
    """Why this may not be released."""
    reasons = [] if on_index else ["ON_INDEX in docs/install.py is False: the documents install from the repository."]
    return reasons + (["OWNER in docs/install.py names nobody."] if owner == "OWNER" else [])


def main(options: list[str]) -> int:
    """Writes, or checks and says what is wrong."""
    if not options:
        for path, text in texts(ROOT, ON_INDEX).items():
            path.write_text(text, encoding="utf-8")
        return 0
    wrong = [f"{path} is stale: run python docs/install.py" for path in stale(ROOT, ON_INDEX)]
    wrong += unready() if "--released" in options else []
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
