"""A real OpenSearch node for tests, from the jars on Maven Central: one node, on loopback, without security.

    python -m tests.live.opensearch_server

starts one, prints its address and keeps it until Ctrl-C. The archive of the server is not on Maven Central, but all of
its jars are, and so are the modules for HTTP, analysis and scripting and the k-NN plugin (without its native libraries,
so that vectors are searched by its Lucene engine). What the archive has besides, descriptors of modules and their
permissions, is written here. The jars, 54 MB, are listed in opensearch_jars.txt (tests/live/maven.py fetches them).
OpenSearch refuses to run as root; started by root it runs as the user "nobody".
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from tests.live.maven import OPTIONS, fetched, free_ports, java, wait
from tests.live.postgres_server import CannotStart, run_as

JARS = Path(__file__).with_name("opensearch_jars.txt")
VERSION = "2.19.1"
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
    # From 24 on there is no security manager, which OpenSearch 2 needs.
    program = java(f"OpenSearch {VERSION}", 11, 21)
    jars = fetched(JARS, "opensearch", VERSION)
    home = Path(tempfile.mkdtemp(prefix="rp-os-"))
    node = None
    try:
        http, transport = free_ports()
        _lay_out(home, jars, http, transport)
        user = run_as(home)
        command = [
            program, *OPTIONS,
            f"-Djava.io.tmpdir={home / 'tmp'}",
            f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={home / 'config'}",
            "-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true", "-Dlog4j2.disable.jmx=true",
            "-cp", f"{home / 'lib'}/*", "org.opensearch.bootstrap.OpenSearch",
        ]  # fmt: skip
        with (home / "log").open("wb") as log:
            node = subprocess.Popen(command, cwd=home, stdout=log, stderr=log, **user)
        url = f"http://127.0.0.1:{http}"
        wait("OpenSearch", f"{url}/_cluster/health?wait_for_status=yellow&timeout=30s", node, home / "log")
        yield url
    finally:
        if node is not None:
            node.kill()  # its data goes with it, so there is nothing to close well
            node.wait(20)
        shutil.rmtree(home, ignore_errors=True)


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


if __name__ == "__main__":
    try:
        with server() as address:
            print(address, flush=True)
            Event().wait()
    except KeyboardInterrupt:
        pass
    except CannotStart as why:
        sys.exit(f"OpenSearch cannot be started: {why}")
