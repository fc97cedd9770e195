"""A search API to try the tutorial on: the products of sample:shop behind one address, ranked in three versions.

python search_api.py --version 1 --port 8080   BM25 over all words of a product, as typed
python search_api.py --version 2 --port 8081   forgives typing mistakes: words of the catalog that look alike count too
python search_api.py --version 3 --port 8082   forgives only words of four letters or more that the catalog lacks

GET /search?q=cast+iron+skillet&size=10 answers {"results": {"items": [{"product": {"sku": ...}, "score": ...}, ...]}}.
The same request always gets the same answer. Nothing but Python and rankproof's bundled products is needed.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rankproof.stack.samples import shop

FIELDS = ("title", "brand", "bullets", "description")
K1, B = 1.5, 0.75
MOST = 100  # documents of an answer
SHORTEST = 4  # letters of a word that version 3 forgives


def words(text: str) -> list[str]:
    """Letters and digits in small letters; "NS-20" is two words."""
    return re.findall(r"[a-z0-9]+", text.lower())


def near(typed: str, word: str) -> bool:
    """Whether one letter more, less, other, or two swapped make the one the other: one typing mistake."""
    if abs(len(typed) - len(word)) > 1:
        return False
    start = 0
    while start < min(len(typed), len(word)) and typed[start] == word[start]:
        start += 1
    a, b = typed[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] == b[:2] and a[2:] == b[2:])


class Catalog:
    """The products and an index of their words."""

    def __init__(self, version: int) -> None:
        self.version = version
        lines = (Path(shop()) / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        self.products: list[dict[str, str]] = [json.loads(line) for line in lines]
        counts = [Counter(words(" ".join(product[field] for field in FIELDS))) for product in self.products]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths)
        self.index: dict[str, dict[int, float]] = {}
        for at, count in enumerate(counts):
            slow = K1 * (1 - B + B * lengths[at] / mean)
            for word, n in count.items():
                self.index.setdefault(word, {})[at] = n / (n + slow)

    def weight(self, word: str) -> float:
        """How much a word says: rare ones more."""
        n = len(self.index[word])
        return math.log(1 + (len(self.products) - n + 0.5) / (n + 0.5))

    def meant(self, typed: str) -> Iterable[tuple[str, float]]:
        """Words of the catalog that a typed word stands for, and how much each of them counts."""
        if typed in self.index:
            yield typed, 1.0
        if self.version == 1 or (self.version == 3 and (typed in self.index or len(typed) < SHORTEST)):
            return
        for word in sorted(self.index):
            if word != typed and near(typed, word):
                yield word, 0.5

    def search(self, query: str, size: int) -> list[tuple[dict[str, str], float]]:
        """The best products, best first; equal scores by id, so that the order is always the same."""
        scores: Counter[int] = Counter()
        for typed in words(query):
            for word, share in self.meant(typed):
                for at, part in self.index[word].items():
                    scores[at] += share * self.weight(word) * part
        ranked = sorted(scores, key=lambda at: (-round(scores[at], 6), self.products[at]["_id"]))
        return [(self.products[at], round(scores[at], 6)) for at in ranked[:size]]


class Handler(BaseHTTPRequestHandler):
    """GET /search."""

    catalog: Catalog
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: nobody waits for the second

    def do_GET(self) -> None:
        """The answer, or why there is none."""
        url = urlsplit(self.path)
        asked = parse_qs(url.query)
        size = asked.get("size", ["10"])[0]
        if url.path != "/search":
            self.answer(404, {"error": f"there is no {url.path}; ask /search?q=..."})
        elif "q" not in asked or not size.isdecimal() or not 1 <= int(size) <= MOST:
            self.answer(400, {"error": f"q must have words and size be a number from 1 to {MOST}"})
        else:
            found = self.catalog.search(asked["q"][0], int(size))
            items = [
                {"product": {"sku": product["_id"], "title": product["title"]}, "score": score}
                for product, score in found
            ]
            self.answer(200, {"version": self.catalog.version, "results": {"count": len(items), "items": items}})

    def answer(self, status: int, body: dict[str, Any]) -> None:
        """Sends a JSON document."""
        data = f"{json.dumps(body, ensure_ascii=False)}\n".encode()
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not told."""


def main() -> None:
    """Answers until it is stopped."""
    parser = argparse.ArgumentParser(description="A search API over the products of sample:shop.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--version", type=int, choices=(1, 2, 3), default=1, help="the ranking")
    said = parser.parse_args()
    Handler.catalog = Catalog(said.version)
    server = ThreadingHTTPServer(("127.0.0.1", said.port), Handler)
    print(f"shop search, version {said.version}: http://127.0.0.1:{server.server_port}/search", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
