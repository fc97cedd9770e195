"""A real OpenSearch node for tests, from the jars on Maven Central: one node, on loopback, without security.

    python -m tests.live.opensearch_server

starts one, prints its address and keeps it until Ctrl-C. The archive of the server is not on Maven Central, but all of
its jars are, and so are the modules for HTTP, analysis and scripting and the k-NN plugin (without its native libraries,
so that vectors are searched by its Lucene engine). What the archive has besides, descriptors of modules and their
permissions, is written here. The jars, 54 MB, are downloaded once, checked against the hashes in opensearch_jars.txt,
and kept in the user's cache, or in the folder that the environment variable RANKPROOF_OPENSEARCH_JARS names. A
repository that does not answer within seconds is not waited for.
OpenSearch refuses to run as root; started by root it runs as the user "nobody".
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from threading import Event

from tests.live.postgres_server import CannotStart, run_as

JARS = Path(__file__).with_name("opensearch_jars.txt")
MAVEN = "https://repo1.maven.org/maven2"
VERSION = "2.19.1"
HEAP = "512m"
# A machine without network is not to wait: for an answer of the repository, and for all jars together.
ANSWER_SECONDS, DOWNLOAD_SECONDS = 10.0, 120.0
PLUGIN_CLASSES = {
    "transport-netty4": "org.opensearch.transport.Netty4Plugin",
    "analysis-common": "org.opensearch.analysis.common.CommonAnalysisPlugin",
    "lang-painless": "org.opensearch.painless.PainlessPlugin",
}
PERMISSIONS = {
    "transport-netty4": [
        'java.net.SocketPermission "*", "accept,connect"',
        'java.io.FilePermission "/proc/sys/net/core/somaxconn", "read"',
        'java.util.PropertyPermission "*", "read,write"',
        'java.lang.RuntimePermission "getClassLoader"',
        'java.lang.RuntimePermission "setContextClassLoader"',
    ],
    "lang-painless": [
        'java.lang.RuntimePermission "createClassLoader"',
        'java.lang.RuntimePermission "getClassLoader"',
    ],
}
LOGGING = """status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d][%-5p][%c{1}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


@contextmanager
def server() -> Iterator[str]:
    """A running node; gives its address."""
    java = _java()
    jars = fetched()
    home = Path(tempfile.mkdtemp(prefix="rp-os-"))
    node = None
    try:
        http, transport = _free_ports()
        _lay_out(home, jars, http, transport)
        user = run_as(home)
        command = [
            java, f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            f"-Djava.io.tmpdir={home / 'tmp'}",
            f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={home / 'config'}",
            "-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true", "-Dlog4j2.disable.jmx=true",
            "-cp", f"{home / 'lib'}/*", "org.opensearch.bootstrap.OpenSearch",
        ]  # fmt: skip
        with (home / "log").open("wb") as log:
            node = subprocess.Popen(command, cwd=home, stdout=log, stderr=log, **user)
        url = f"http://127.0.0.1:{http}"
        _wait(url, node, home / "log")
        yield url
    finally:
        if node is not None:
            node.kill()  # its data goes with it, so there is nothing to close well
            node.wait(20)
        shutil.rmtree(home, ignore_errors=True)


def fetched() -> list[tuple[str, Path]]:
    """(folder in the server, file) of every jar, downloaded where it is not here yet."""
    cache = Path(os.environ.get("RANKPROOF_OPENSEARCH_JARS") or Path.home() / ".cache/rankproof/opensearch" / VERSION)
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"{cache} cannot be made: {error}") from None
    until = time.monotonic() + DOWNLOAD_SECONDS
    found = []
    for line in JARS.read_text().splitlines()[1:]:
        folder, path, wanted = line.split()
        file = cache / path.rpartition("/")[2]
        if not file.exists() or sha256(file.read_bytes()).hexdigest() != wanted:
            if time.monotonic() > until:
                raise CannotStart(
                    f"the jars did not come from {MAVEN} within {DOWNLOAD_SECONDS:g} seconds; those that did are kept, "
                    "and the next run goes on"
                )
            try:
                data = urllib.request.urlopen(f"{MAVEN}/{path}", timeout=ANSWER_SECONDS).read()
            except (OSError, HTTPException) as error:
                raise CannotStart(f"{MAVEN}/{path} cannot be had: {error}") from None
            if sha256(data).hexdigest() != wanted:
                raise CannotStart(f"{MAVEN}/{path} is not the file it was")
            beside = file.with_suffix(f".{os.getpid()}.part")
            beside.write_bytes(data)
            beside.replace(file)
        found.append((folder, file))
    return found


def _java() -> str:
    java = shutil.which("java")
    if java is None:
        raise CannotStart("there is no java")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30).stderr
    version = re.search(r'version "(\d+)', told)
    # From 24 on there is no security manager, which OpenSearch 2 needs.
    if version is None or not 11 <= int(version[1]) <= 21:
        raise CannotStart(
            f"OpenSearch {VERSION} needs Java 11 to 21; here is {told.splitlines()[0] if told else 'none'}"
        )
    return java


def _lay_out(home: Path, jars: list[tuple[str, Path]], http: int, transport: int) -> None:
    for folder in ("config", "data", "logs", "tmp"):
        (home / folder).mkdir()
    for folder, file in jars:
        (home / folder).mkdir(parents=True, exist_ok=True)
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as plugin:
                plugin.extractall(home / folder)
        else:
            shutil.copy(file, home / folder)
    for name, plugin_class in PLUGIN_CLASSES.items():
        module = home / "modules" / name
        (module / "plugin-descriptor.properties").write_text(
            f"name={name}\ndescription={name}\nversion={VERSION}\nopensearch.version={VERSION}\njava.version=11\n"
            f"classname={plugin_class}\ncustom.foldername=\nextended.plugins=\nhas.native.controller=false\n"
        )
        granted = "".join(f"  permission {permission};\n" for permission in PERMISSIONS.get(name, []))
        if granted:
            (module / "plugin-security.policy").write_text(f"grant {{\n{granted}}};\n")
    (home / "config" / "log4j2.properties").write_text(LOGGING)
    (home / "config" / "opensearch.yml").write_text(
        f"cluster.name: rankproof-tests\nnode.name: one\nnetwork.host: 127.0.0.1\nhttp.port: {http}\n"
        f"transport.port: {transport}\ndiscovery.type: single-node\nbootstrap.system_call_filter: false\n"
        "cluster.routing.allocation.disk.threshold_enabled: false\n"
    )


def _free_ports() -> tuple[int, int]:
    with socket.socket() as a, socket.socket() as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        return a.getsockname()[1], b.getsockname()[1]


def _wait(url: str, node: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"{url}/_cluster/health?wait_for_status=yellow&timeout=30s", timeout=40).read()
            return
        except OSError as error:
            if node.poll() is not None or time.monotonic() > until:
                told = [line for line in log.read_text(errors="replace").splitlines() if not line.startswith("\tat")]
                raise CannotStart(f"OpenSearch did not start: {error}; its log: {' '.join(told[-5:])[-600:]}") from None
        time.sleep(0.2)


if __name__ == "__main__":
    try:
        with server() as address:
            print(address, flush=True)
            Event().wait()
    except KeyboardInterrupt:
        pass
    except CannotStart as why:
        sys.exit(f"OpenSearch cannot be started: {why}")
