"""A real Elasticsearch node for tests, from the jars on Maven Central: one node, on loopback, without security.

    python -m tests.live.elasticsearch_server

starts one, prints its address and keeps it until Ctrl-C. The server and its module for HTTP are on Maven Central; the
program that starts them in an installation, other modules and plugins are not, so that ElasticsearchNode.java starts
the node, and there is no English analyzer. The jars, 39 MB, are listed in elasticsearch_jars.txt. Until it answered
it took 3 seconds of a processor, and with its heap of 512 MB it held 340 MB of memory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from tests.live.maven import OPTIONS, fetched, free_ports, java, wait
from tests.live.opensearch_index import call
from tests.live.opensearch_server import LOGGING
from tests.live.postgres_server import CannotStart

from rankproof.reading.collection import Corpus

JARS = Path(__file__).with_name("elasticsearch_jars.txt")
MAIN = Path(__file__).with_name("ElasticsearchNode.java")
VERSION = "8.15.5"
MODULE = "transport-netty4"


@contextmanager
def server(download: bool = True) -> Iterator[str]:
    """A running node; gives its address."""
    program = java(f"Elasticsearch {VERSION}", 17, 23)
    jars = fetched(JARS, "elasticsearch", VERSION, download)
    home = Path(tempfile.mkdtemp(prefix="rp-es-"))
    node = None
    try:
        http, transport = free_ports()
        _lay_out(home, [file for folder, file in jars if folder != "lib"], http, transport)
        path = os.pathsep.join(str(file) for folder, file in jars if folder == "lib")
        command = [
            program, *OPTIONS, f"-Djava.io.tmpdir={home / 'tmp'}", "-Dlog4j2.disable.jmx=true", "--module-path", path,
            "--add-modules=jdk.net", "--add-modules=ALL-MODULE-PATH", str(MAIN), str(home),
        ]  # fmt: skip
        with (home / "log").open("wb") as log:
            node = subprocess.Popen(command, cwd=home, stdout=log, stderr=log)
        url = f"http://127.0.0.1:{http}"
        wait("Elasticsearch", f"{url}/_cluster/health?wait_for_status=yellow&timeout=30s", node, home / "log")
        yield url
    finally:
        if node is not None:
            node.kill()
            node.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def _lay_out(home: Path, module: list[Path], http: int, transport: int) -> None:
    for folder in ("config", "data", "logs", "tmp", "plugins", "lib", f"modules/{MODULE}"):
        (home / folder).mkdir(parents=True)
    for file in module:
        shutil.copy(file, home / "modules" / MODULE)
    (home / "modules" / MODULE / "plugin-descriptor.properties").write_text(
        f"name={MODULE}\ndescription={MODULE}\nversion={VERSION}\nelasticsearch.version={VERSION}\njava.version=17\n"
        "classname=org.elasticsearch.transport.netty4.Netty4Plugin\nhas.native.controller=false\nlicensed=false\n"
    )
    (home / "config" / "log4j2.properties").write_text(LOGGING)
    (home / "config" / "elasticsearch.yml").write_text(
        f"cluster.name: rankproof-tests\nnode.name: one\nnetwork.host: 127.0.0.1\nhttp.port: {http}\n"
        f"transport.port: {transport}\ndiscovery.type: single-node\n"
        "cluster.routing.allocation.disk.threshold_enabled: false\n"
    )


def load(url: str, index: str, corpus: Corpus, vectors: Sequence[Sequence[float]] | None = None) -> None:
    """An index of one shard: text for each field, embedding where there are vectors."""
    properties: dict[str, Any] = {name: {"type": "text"} for name in corpus.fields}
    if vectors is not None:
        exact = {"type": "hnsw"}  # what is said of nothing is hnsw over vectors of 8 bits
        kind = {"type": "dense_vector", "similarity": "cosine", "index_options": exact}
        properties["embedding"] = {**kind, "dims": len(vectors[0])}
    settings = {"index": {"number_of_shards": 1, "number_of_replicas": 0}}
    call("PUT", f"{url}/{index}", json.dumps({"settings": settings, "mappings": {"properties": properties}}))
    lines = []
    for i, doc in enumerate(corpus.doc_ids):
        document: dict[str, Any] = {name: column[i] for name, column in corpus.fields.items()}
        if vectors is not None:
            document["embedding"] = list(map(float, vectors[i]))
        lines += [json.dumps({"index": {"_id": doc}}), json.dumps(document)]
    told = call("POST", f"{url}/{index}/_bulk?refresh=true", "\n".join(lines) + "\n")
    assert not told["errors"], told


if __name__ == "__main__":
    try:
        with server() as address:
            print(address, flush=True)
            Event().wait()
    except KeyboardInterrupt:
        pass
    except CannotStart as why:
        sys.exit(f"Elasticsearch cannot be started: {why}")
