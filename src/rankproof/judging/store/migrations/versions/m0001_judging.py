"""The first tables. Those of acts and of what is judged refuse every change in the database itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# Rows are only ever added to these.
APPENDED = (
    "projects", "revisions", "queries", "documents", "runs", "rankings", "judgments", "marks", "preferences",
    "assignments", "gold", "failures", "experiments", "audit",
)  # fmt: skip


def _project() -> sa.Column[str]:
    return sa.Column("project", sa.String(80), sa.ForeignKey("projects.slug"), nullable=False)


def upgrade() -> None:
    """Makes the tables, then forbids changes."""
    _make_tables()
    if op.get_bind().dialect.name == "sqlite":
        _forbid_in_sqlite()
    else:
        _forbid_in_postgres()


def _forbid_in_sqlite() -> None:
    for table in APPENDED:
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table} are only ever added'); END"
            )


def _forbid_in_postgres() -> None:
    op.execute(
        "CREATE FUNCTION rankproof_only_added() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME; END $$"
    )
    for table in APPENDED:
        op.execute(
            f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION rankproof_only_added()"
        )


def _make_tables() -> None:
    op.create_table(
        "accounts",
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("password", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", _ID, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("account", sa.String(200), nullable=False),
        sa.Column("action", sa.String(80), nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "invitations",
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
        sa.Column("used_by", sa.String(200), nullable=True),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("token"),
    )
    op.create_table(
        "projects",
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("slug"),
    )
    op.create_table(
        "assignments",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("weight", sa.Float, nullable=False),
        sa.Column("selection", sa.Text, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("assignments_of_judge", "assignments", ["project", "judge"])
    op.create_table(
        "documents",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("fields", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "doc_id"),
    )
    op.create_table(
        "experiments",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "sha256"),
    )
    op.create_table(
        "failures",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        _project(),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("failures_of_judge", "failures", ["project", "judge"])
    op.create_table(
        "gold",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("grade", sa.Integer, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("gold_of_project", "gold", ["project"])
    op.create_table(
        "judgments",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        _project(),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("grade", sa.Integer, nullable=True),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("source", sa.String(10), nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("prompt", sa.String(64), nullable=False),
        sa.Column("settings", sa.String(64), nullable=False),
        sa.Column("withdraws", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("judgments_of_judge", "judgments", ["project", "judge"])
    op.create_index("judgments_of_pair", "judgments", ["project", "query_id", "doc_id"])
    op.create_table(
        "marks",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        _project(),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("variant", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("withdraws", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("marks_of_query", "marks", ["project", "query_id"])
    op.create_table(
        "preferences",
        sa.Column("id", _ID, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        _project(),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("variants", sa.JSON, nullable=False),
        sa.Column("preferred", sa.String(200), nullable=True),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.Column("withdraws", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_index("preferences_of_query", "preferences", ["project", "query_id"])
    op.create_table(
        "queries",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("columns", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "query_id"),
    )
    op.create_table(
        "revisions",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "runs",
        sa.Column("id", _ID, nullable=False),
        _project(),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "name"),
    )
    op.create_table(
        "sessions",
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("account", sa.String(200), nullable=False),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.name"]),
        sa.PrimaryKeyConstraint("token"),
    )
    op.create_table(
        "rankings",
        sa.Column("id", _ID, nullable=False),
        sa.Column("run", _ID, nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_ids", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run", "query_id"),
    )
