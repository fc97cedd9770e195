"""A Tuning as plain dicts, lists, numbers and texts: the document `tune/1`."""

from __future__ import annotations

from typing import Any

from rankproof.records._comparison_dict import answer_dict
from rankproof.records.tuning import Dial, Gain, Response, Setting, Tuning


def to_dict(tuning: Tuning) -> dict[str, Any]:
    """All of it but the values of every setting by query, which are many."""
    config = tuning.config
    return {
        "name": config.benchmark.name,
        "dataset": {
            "source": config.benchmark.dataset,
            "dev": {"split": config.dev or None, "queries": len(tuning.dev_queries), "sha256": tuning.dev_hash},
            "test": {"split": config.test or None, "queries": tuning.test_queries, "sha256": tuning.test_hash},
            "share": None if config.dev else config.share,
        },
        "mode": config.mode,
        "measure": config.measure,
        "better": tuning.better,
        "scale": tuning.scale or None,
        "method": config.method,
        "trials": config.trials,
        "seed": config.seed,
        "depth": config.benchmark.depth,
        "proposed": tuning.proposed,
        "dials": [_dial(dial) for dial in config.dials],
        "settings": [_setting(setting) for setting in tuning.settings],
        "winner": tuning.winner.number,
        "dev": _gain(tuning.dev),
        "out_of_bag": answer_dict(tuning.out_of_bag.answer),
        "test": None if tuning.test is None else _gain(tuning.test),
        "against": [
            {
                "mode": other.mode,
                "pipeline": other.pipeline,
                "value": other.value,
                "gain": answer_dict(other.answer),
                "p_adjusted": other.p_adjusted,
            }
            for other in tuning.against
        ],
        "responses": [
            {"dial": name, "values": [_response(found) for found in several]}
            for name, several in tuning.responses.items()
        ],
        "outcome": tuning.ruling.outcome,
        "overfitted": tuning.ruling.overfitted,
        "reasons": list(tuning.ruling.reasons),
        "notes": list(tuning.notes),
    }


def _dial(dial: Dial) -> dict[str, Any]:
    said: dict[str, Any] = {"dial": dial.name, "as_written": _plain(dial.as_written)}
    if dial.choices:
        return {**said, "values": [_plain(value) for value in dial.choices]}
    return {**said, "low": dial.low, "high": dial.high, "log": dial.log}


def _setting(setting: Setting) -> dict[str, Any]:
    return {
        "number": setting.number,
        "dials": {name: _plain(value) for name, value in setting.dials.items()},
        "pipeline": setting.pipeline,
        "value": setting.mean,
        "failures": setting.failures,
    }


def _gain(gain: Gain) -> dict[str, Any]:
    return {
        "queries": gain.queries,
        "before": gain.before,
        "after": gain.after,
        "gain": answer_dict(gain.answer),
        "by_query": dict(gain.by_query),
    }


def _response(found: Response) -> dict[str, Any]:
    return {
        "low": _plain(found.low),
        "high": _plain(found.high),
        "settings": found.settings,
        "mean": found.mean,
        "best": found.best,
        "gain": answer_dict(found.gain),
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
