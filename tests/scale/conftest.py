"""One Spark cluster for all tests: two workers of one core and 2 GB on this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    from rankproof.scale.session import session

    # Few tasks: with the usual 200 small tables would take minutes.
    with session("local-cluster[2,1,2048]", **{"spark.sql.shuffle.partitions": "4"}) as started:
        yield started
