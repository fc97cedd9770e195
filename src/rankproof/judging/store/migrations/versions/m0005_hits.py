"""The table of hits: what an engine's answer to one query said of a document, where that is not the document's own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Makes the table, then forbids changes."""
    op.create_table(
        "hits",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("project", sa.String(80), sa.ForeignKey("projects.slug"), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("fields", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "query_id", "doc_id"),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER hits_no_{change.lower()} BEFORE {change} ON hits "
                "BEGIN SELECT RAISE(ABORT, 'rows of hits are only ever added'); END"
            )
    else:
        op.execute(
            "CREATE TRIGGER hits_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON hits "
            "FOR EACH STATEMENT EXECUTE FUNCTION rankproof_only_added()"
        )
