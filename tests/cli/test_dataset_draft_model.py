"""A real small model drafts from the sample shop: behind a server that dies midway, and in this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.drafting import lines, run, told
from tests.cli.json_case import faults
from tests.cli.test_judge_run_model import backend, needs_weights
from tests.stack.stages.model_server import question

from rankproof.cli.shared.root import cli

SHORT = ("--tokens", "24", "--characters", "200", "--timeout", "300")


def drafted(url: str, folder: Path, queries: int) -> Result:
    out = str(folder / "drafts")
    args = ("-n", str(queries), "--retries", "0", "--concurrency", "2", "--json", *SHORT)
    return run("sample:shop", url, *args, out=out)


@needs_weights
@pytest.mark.full
@pytest.mark.parametrize("queries", [8, 60])
def test_a_killed_model_is_asked_only_for_what_it_had_not_answered(tmp_path: Path, queries: int) -> None:
    with backend(dies_after=queries // 2) as (model, counting):
        first = drafted(counting.url, tmp_path, queries)
        assert (first.exit_code, told(first)["drafts"]["unanswered"] > 0) == (1, True)
        had = len(model.answered)
        assert queries // 2 <= had < queries
        model.dies_after = None
        model.start()
        second = told(drafted(counting.url, tmp_path, queries))
        assert len({question(body) for body in model.answered}) == len(model.answered) == queries
        third = told(drafted(counting.url, tmp_path, queries))
        assert (len(model.answered), third["asking"]["asked"]) == (queries, 0)
    assert faults(second, "drafting/1") == faults(third, "drafting/1") == []
    assert (second["drafts"]["unanswered"], second["drafts"]) == (0, third["drafts"])
    # The server's own counts stand in the account, but for what was under way when it died.
    assert second["spending"]["uncounted"] <= second["spending"]["requests"] - queries
    for draft in lines(tmp_path):
        # So small a model seldom keeps to the form: what it then says is a failure with its text, and no query.
        assert (draft["query"] is None) == (draft["status"] == "failed")
        assert draft["status"] != "failed" or (draft["failure"]["text"] and draft["failure"]["kind"] != "not asked")


@needs_weights
@pytest.mark.slow
def test_the_weights_of_the_package_draft_without_a_server(tmp_path: Path) -> None:
    args = ["dataset", "draft", "sample:shop", "-o", str(tmp_path / "drafts"), "-n", "2", "--json", *SHORT]
    done = CliRunner().invoke(cli, args)
    body = told(done)
    counts = body["drafts"]
    assert faults(body, "drafting/1") == []
    assert done.exit_code == (0 if counts["accepted"] else 1)
    assert counts["accepted"] + counts["marked"] + counts["failed"] == len(lines(tmp_path)) == 2
    assert body["model"]["name"].startswith("SmolLM2-135M-Instruct.Q4_1 sha256:")
    assert body["asking"]["tokens"]["uncounted"] == 0
    assert 0 < body["asking"]["tokens"]["answered"] <= 2 * 24
