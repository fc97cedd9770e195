"""Leases: which judge has which pair in hand, for all processes that serve the store."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Makes the table. Its rows come and go: they are no acts."""
    op.create_table(
        "leases",
        sa.Column("id", _ID, nullable=False, autoincrement=False),
        sa.Column("project", sa.String(80), sa.ForeignKey("projects.slug"), nullable=False),
        sa.Column("judge", sa.String(200), nullable=False),
        sa.Column("query_id", sa.Text, nullable=False),
        sa.Column("doc_id", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("after", _ID, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "query_id", "doc_id", "judge"),
    )
