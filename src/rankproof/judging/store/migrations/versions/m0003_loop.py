"""Tables of the loop: closed rounds, resolved items of the inbox, and models' judging in the background."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# Rows are only ever added to these.
APPENDED = ("closings", "resolutions")


def _project() -> sa.Column[str]:
    return sa.Column("project", sa.String(80), sa.ForeignKey("projects.slug"), nullable=False)


def upgrade() -> None:
    """Makes the tables, then forbids changes of those that only grow."""
    _make_tables()
    for table in APPENDED:
        if op.get_bind().dialect.name == "sqlite":
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END"
                )
        else:
            op.execute(
                f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION rankproof_only_added()"
            )


def _make_tables() -> None:
    op.create_table(
        "closings",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("closings_of_project", "closings", ["project"])
    op.create_table(
        "resolutions",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        _project(),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("act", sa.String(10), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("resolutions_of_project", "resolutions", ["project"])
    op.create_table(
        "jobs",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("running", sa.String(80), nullable=True),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("stopping", sa.Boolean, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("seen", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("running"),
    )
    op.create_index("jobs_of_project", "jobs", ["project"])
