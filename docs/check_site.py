"""Checks a built site: every link and anchor leads somewhere, and no page makes a browser ask another host."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements whose address is loaded with the page, and the attribute that has it.
LOADED = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "img": ("src", "srcset"), "input": ("src",),
    "object": ("data",), "script": ("src",), "source": ("src", "srcset"), "track": ("src",), "use": ("href",),
    "video": ("src", "poster"), "image": ("href",),
}  # fmt: skip
# Relations of <link> that only say where something is.
NAMED_ONLY = {"canonical", "prev", "next", "alternate", "author", "license"}
# Addresses in styles that a browser loads.
STYLE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])([^'")\s]+)""")


@dataclass
class PageFacts(HTMLParser):
    """The ids of a page, where it links to and what it loads."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Takes in one element."""
        values = {name: value or "" for name, value in attrs}
        self.ids.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "link" and "href" in values:
            named = set(values.get("rel", "").split()) <= NAMED_ONLY
            (self.links if named else self.loads).append(values["href"])
        for name in LOADED.get(tag, ()):
            if name in values:
                parts = values[name].split(",") if name == "srcset" else [values[name]]
                self.loads += [part.split()[0] for part in parts if part.strip()]
        self.loads += STYLE.findall(values.get("style", ""))


def faults_of(site: Path, published_at: str = "/") -> list[str]:
    """One line for each link that leads nowhere and each address of another host that a page loads."""
    pages = {path: _facts(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site} has no page"]
    found: list[str] = []
    for path, facts in pages.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name} loads {url} from another host" for url in facts.loads if _elsewhere(url)]
        for url in [*facts.links, *facts.loads]:
            if _elsewhere(url) or re.match(r"(data|mailto|javascript):", url):
                continue
            if reason := _broken(url, path, site, published_at, pages):
                found.append(f"{name}: {url} {reason}")
    for style in sorted(site.rglob("*.css")):
        found += [
            f"{style.relative_to(site).as_posix()} loads {url} from another host"
            for url in STYLE.findall(style.read_text(encoding="utf-8"))
            if _elsewhere(url)
        ]
    return found


def _facts(path: Path) -> PageFacts:
    facts = PageFacts()
    facts.feed(path.read_text(encoding="utf-8"))
    return facts


def _elsewhere(url: str) -> bool:
    return re.match(r"(https?:)?//", url) is not None


def _broken(url: str, path: Path, site: Path, published_at: str, pages: dict[Path, PageFacts]) -> str:
    """Why an address of the site leads nowhere; empty where it leads somewhere."""
    parts = urlsplit(url)
    place = unquote(parts.path)
    if place.startswith("/"):
        if not place.startswith(published_at):
            return f"lies outside {published_at}"
        goal = site / place.removeprefix(published_at)
    else:
        goal = path.parent / place if place else path
    goal = goal.resolve()
    goal = goal / "index.html" if goal.is_dir() else goal
    if not goal.exists():
        return "is not there"
    anchor = unquote(parts.fragment)
    if anchor and goal in pages and anchor not in pages[goal].ids:
        return f"has no #{anchor}"
    return ""
