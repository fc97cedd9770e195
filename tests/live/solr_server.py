"""A real Solr for tests, from the jars on Maven Central: one process, on loopback, cores made as tests want them.

    python -m tests.live.solr_server

starts one, prints its address and keeps it until Ctrl-C. It is started by the class that starts it in Solr's own
tests (SolrNode.java, which Java compiles when it runs it). The jars, 63 MB, are listed in solr_jars.txt. Until it
answered it took 3 seconds of a processor, and with its heap of 512 MB it held 290 MB of memory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from tests.live.maven import OPTIONS, fetched, free_ports, java, wait
from tests.live.postgres_server import CannotStart

from rankproof.reading.collection import Corpus

JARS = Path(__file__).with_name("solr_jars.txt")
MAIN = Path(__file__).with_name("SolrNode.java")
VERSION = "9.8.1"
CONFIG = """<config>
  <luceneMatchVersion>9.11</luceneMatchVersion>
  <schemaFactory class="ManagedIndexSchemaFactory"/>
  <requestHandler name="/select" class="solr.SearchHandler"/>
  <requestHandler name="/update" class="solr.UpdateRequestHandler"/>
</config>
"""
# Cores that share a config set share its schema; those that are filled have one of their own, with what it is usual
# to have: a log of changes.
CONFIG_SETS = {
    name: CONFIG.replace(
        "</config>", '<updateHandler class="solr.DirectUpdateHandler2"><updateLog/></updateHandler>\n</config>'
    )
    for name in ("filled", "others", "fresh", "shop")
} | {"tests": CONFIG}
SCHEMA = """<schema name="rankproof" version="1.6">
  <uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="long" class="solr.LongPointField" docValues="true"/>
  <fieldType name="english" class="solr.TextField">
    <analyzer>
      <tokenizer class="solr.StandardTokenizerFactory"/>
      <filter class="solr.LowerCaseFilterFactory"/>
      <filter class="solr.PorterStemFilterFactory"/>
    </analyzer>
  </fieldType>
  <field name="id" type="string" indexed="true" stored="true" required="true"/>
  <field name="_version_" type="long" indexed="false" stored="false"/>
  <dynamicField name="*_t" type="english" indexed="true" stored="true"/>
</schema>
"""


@contextmanager
def server(download: bool = True) -> Iterator[str]:
    """A running Solr; gives its address, with its path."""
    program = java(f"Solr {VERSION}", 11, 21)
    jars = fetched(JARS, "solr", VERSION, download)
    home = Path(tempfile.mkdtemp(prefix="rp-solr-"))
    node = None
    try:
        for name, config in CONFIG_SETS.items():
            conf = home / "configsets" / name / "conf"
            conf.mkdir(parents=True)
            (conf / "solrconfig.xml").write_text(config)
            (conf / "managed-schema.xml").write_text(SCHEMA)
        (home / "solr.xml").write_text("<solr/>")
        port, _ = free_ports()
        path = os.pathsep.join(str(file) for _, file in jars)
        command = [
            program, *OPTIONS, f"-Djava.io.tmpdir={home}", f"-Dsolr.log.dir={home}", "-cp", path, str(MAIN), str(home),
            str(port),
        ]  # fmt: skip
        with (home / "log").open("wb") as log:
            node = subprocess.Popen(command, cwd=home, stdout=log, stderr=log)
        url = f"http://127.0.0.1:{port}/solr"
        wait("Solr", f"{url}/admin/info/system?wt=json", node, home / "log")
        yield url
    finally:
        if node is not None:
            node.kill()
            node.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def load(
    url: str, core: str, corpus: Corpus, vectors: Sequence[Sequence[float]] | None = None, config: str = "tests"
) -> None:
    """A core of a corpus: English text for each field, embedding where there are vectors."""
    made = urllib.parse.urlencode({"action": "CREATE", "name": core, "configSet": config, "wt": "json"})
    with urllib.request.urlopen(f"{url}/admin/cores?{made}", timeout=60) as answer:
        answer.read()
    # Cores share the schema of their config set: what an earlier core added is there.
    with urllib.request.urlopen(f"{url}/{core}/schema/fields?wt=json", timeout=60) as answer:
        there = {field["name"] for field in json.loads(answer.read())["fields"]}
    fields = [{"name": name, "type": "english"} for name in corpus.fields if name not in there]
    if vectors is not None and "embedding" not in there:
        kind = {"class": "solr.DenseVectorField", "similarityFunction": "cosine"}
        call(f"{url}/{core}/schema", {"add-field-type": {"name": "place", "vectorDimension": len(vectors[0]), **kind}})
        fields.append({"name": "embedding", "type": "place"})
    if fields:
        call(f"{url}/{core}/schema", {"add-field": fields})
    documents: list[dict[str, Any]] = [
        {"id": doc, **{name: column[i] for name, column in corpus.fields.items()}}
        for i, doc in enumerate(corpus.doc_ids)
    ]
    for document, vector in zip(documents, vectors if vectors is not None else (), strict=False):
        document["embedding"] = list(map(float, vector))
    call(f"{url}/{core}/update?commit=true", documents)


def call(url: str, body: object) -> Any:
    """What Solr answers to a POST of JSON."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


if __name__ == "__main__":
    try:
        with server() as address:
            print(address, flush=True)
            Event().wait()
    except KeyboardInterrupt:
        pass
    except CannotStart as why:
        sys.exit(f"Solr cannot be started: {why}")
