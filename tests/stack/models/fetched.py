"""A model to fetch, and a server that has it and fails in the ways that servers fail."""

from __future__ import annotations

import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rankproof.stack.models.cards import file_hash

PROMPTS = {"query": "query : ", "passage": "passage : "}
MODEL = ("model.safetensors", "tokenizer.json", "config.json")


def hashes(folder: Path) -> list[str]:
    return [file_hash(str(folder / name)) for name in MODEL]


def zipped(folder: Path, file: Path) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder).as_posix())
    return file


class Server:
    """Answers by path; `log` has each path with its range, `keys` the tokens that came with them.

    cut     ends the connection after so many bytes, once; `always_cut` each time
    slow    sends nothing; `stalled` as many bytes as said, and then nothing until `go` is set
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.cut: dict[str, int] = {}
        self.always_cut: dict[str, int] = {}
        self.stalled: dict[str, int] = {}
        self.go = threading.Event()
        self.slow: set[str] = set()
        self.keys: list[str | None] = []
        self.log: list[tuple[str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.answer(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        asked = to.headers.get("Range")
        self.log.append((to.path, asked))
        self.keys.append(to.headers.get("Authorization"))
        if to.path in self.redirects:
            to.send_response(302)
            to.send_header("Location", self.redirects[to.path])
            to.end_headers()
            return
        data = self.files.get(to.path)
        if data is None:
            to.send_error(404)
            return
        begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        if asked and begin >= len(data):
            to.send_error(416)
            return
        to.send_response(206 if asked else 200)
        if asked:
            to.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        to.send_header("ETag", '"one"')
        to.send_header("Content-Length", str(len(data) - begin))
        to.end_headers()
        end = self.cut.pop(to.path, begin + self.always_cut.get(to.path, len(data)))
        if to.path in self.slow:
            end = begin
            time.sleep(0.6)
        if to.path in self.stalled and not self.go.is_set():
            to.wfile.write(data[begin : begin + self.stalled[to.path]])
            to.wfile.flush()
            self.go.wait(60)
            return
        to.wfile.write(data[begin:end])
