"""A Spark session for one command: quiet, ended with the command, and clear about what is missing."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rankproof.errors import UsageError
from rankproof.scale.spark import refuse_without_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Rows that travel between Java and Python at a time: enough for the core to be worth calling.
BATCH = 50_000


@contextmanager
def session(master: str | None, **settings: str) -> Iterator[SparkSession]:
    """A session on a master such as `local[2]`, `spark://host:7077` or `yarn`; Spark's own choice for None."""
    refuse_without_spark()
    import pyspark
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if "SPARK_REMOTE" not in os.environ and _java() is None:
        raise UsageError("Spark needs Java, and none is found. Install Java 17 or newer, or set JAVA_HOME.")
    # Paths that Spark's own scripts would set; the pip package does not install them.
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
    builder = SparkSession.builder.appName("rankproof")
    if master is not None:
        builder = builder.master(master)
    quiet = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    }
    for name, value in {**quiet, **settings}.items():
        builder = builder.config(name, value)
    before = _children()
    try:
        with _hushed():
            spark = builder.getOrCreate()
    except PySparkException as error:
        raise UsageError(f"Spark does not start on {master}: {str(error).splitlines()[0]}") from None
    except Exception as error:
        # Java's own errors come as they are: the first line says what is wrong, the rest is where in Java.
        if type(error).__module__.partition(".")[0] != "py4j":
            raise
        raise UsageError(f"Spark does not start on {master}: {_reason(str(error))}") from None
    except BaseException:
        # Told to stop while Java starts: it would come up later, find nobody to talk to, and stay.
        for child in _children() - before:
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        raise
    try:
        yield spark
    except BaseException as error:
        with suppress(Exception):  # Java may be in the middle of an answer that nobody hears any more
            spark.stop()
        request = stop_request(error)
        if request is None:
            raise
        raise request from None
    spark.stop()


def stop_request(error: BaseException) -> BaseException | None:
    """The request to stop that an error came of, such as Ctrl-C: what Spark meets while it gives way hides it."""
    seen: BaseException | None = error
    while seen is not None:
        if not isinstance(seen, Exception):
            return seen
        seen = seen.__context__
    return None


@contextmanager
def _hushed() -> Iterator[None]:
    """Without what Java says about itself on starting: it would stand between the lines of a command's own messages.

    Java keeps the stream it was started with, so that its log goes nowhere as long as it lives. What goes wrong in a
    job comes as an error.
    """
    stderr_copy = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(stderr_copy, 2)
        os.close(stderr_copy)
        os.close(nowhere)


def _children() -> set[int]:
    """The processes that this one has started, where the system says so."""
    children: set[int] = set()
    for path in glob.glob("/proc/self/task/*/children"):
        with suppress(OSError), open(path) as file:
            children.update(map(int, file.read().split()))
    return children


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else shutil.which("java")


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "xception" in line), lines[0] if lines else "no reason given")
