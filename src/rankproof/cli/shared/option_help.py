"""Options under headings in long helps: what most people need first, at most twelve, then the rest by what it is about.

`@click.command("compare", cls=long_help("measures", "baseline", ...))` names the first ones. HEADINGS places the others
for every command, since options of one name mean one thing; a command with options of its own gives its own headings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

# What a help begins with, at most.
MOST_COMMON = 12
COMMON = "Common options"
OTHERS = "Other options"

# Names of parameters by what they are about, in the order of the help.
HEADINGS: Mapping[str, Sequence[str]] = {
    "Measures": (
        "measures", "whole", "overlap", "span_unit", "texts", "tokens", "primary", "dialect", "ties", "undefined",
        "level", "complete", "targets",
    ),
    "Statistics": (
        "significance", "correction", "confidence", "resamples", "seed", "all_pairs", "equivalence", "non_inferiority",
        "power", "alternative", "method", "units", "weights", "strata", "clusters",
    ),
    "Queries and segments": ("topics", "queries", "by", "segments"),
    "Unjudged documents": (
        "judged_only", "pool", "open_universe", "no_beyond", "reuse_check", "pool_depth", "top_grade",
    ),
    "Input": (
        "baseline", "saved", "depth", "order", "lower_is_better", "collapse", "unmapped", "collapse_qrels",
        "drop_self", "allow", "columns", "qrels_format", "run_format", "calls_format", "latency",
    ),
    "Scores of any tool": (
        "as_scores", "unit", "system", "dataset", "repeats", "lower", "ranges", "missing", "scores_format",
    ),
    "Output": (
        "per_query", "full", "form", "as_json", "output", "html", "corpus", "markdown", "junit", "github", "charts",
        "color", "width",
    ),
    "Record": ("save", "manifest", "experiment", "dataset_version", "notes", "write_config"),
    "Engine": ("threads", "memory", "engine", "master"),
}  # fmt: skip


class LongHelp(click.Command):
    """A command whose help has its options under headings. `common` and `headings` name parameters."""

    common: Sequence[str] = ()
    headings: Mapping[str, Sequence[str]] = HEADINGS

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each option once: the common ones, those under a heading, the others."""
        records = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                records[param.name or ""] = record
        for heading, rows in self._sorted_out(records).items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def _sorted_out(self, records: Mapping[str, tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
        left = dict(records)
        sections = {COMMON: [left.pop(name) for name in self.common if name in left]}
        for heading, names in self.headings.items():
            sections[heading] = [left.pop(name) for name in names if name in left]
        sections[OTHERS] = list(left.values())
        return sections


def long_help(
    *common: str, base: type[click.Command] = click.Command, headings: Mapping[str, Sequence[str]] = HEADINGS
) -> type[click.Command]:
    """The kind of a command whose help begins with these parameters.

    base   the kind that it is besides, such as one with `init`
    """
    assert len(common) <= MOST_COMMON, common
    return type("LongHelp", (LongHelp, base), {"common": common, "headings": headings})
