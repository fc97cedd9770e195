"""People by project: memberships, invitations that name somebody, links for passwords, sign-in by a provider.

Who could do something everywhere may do it in every project that there is: the role of an account becomes its role in
each of them. An admin stays one of the whole server.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the tables, then the memberships."""
    op.create_table(
        "memberships",
        sa.Column("account", sa.String(200), sa.ForeignKey("accounts.name"), primary_key=True),
        sa.Column("project", sa.String(80), sa.ForeignKey("projects.slug"), primary_key=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
    )
    op.create_table(
        "resets",
        sa.Column("token", sa.String(64), primary_key=True),
        sa.Column("account", sa.String(200), sa.ForeignKey("accounts.name"), nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("expires", sa.String(32), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.String(300), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("account", sa.String(200), sa.ForeignKey("accounts.name"), nullable=False),
        sa.Column("time", sa.String(32), nullable=False),
    )
    op.create_table(
        "tries",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("last", sa.Float, nullable=False),
    )
    for name, length in (("person", 200), ("project", 80), ("revoked", 32)):
        op.add_column("invitations", sa.Column(name, sa.String(length)))
    for name, length in (("address", 64), ("agent", 200)):
        op.add_column("sessions", sa.Column(name, sa.String(length)))
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    op.get_bind().execute(
        sa.text(
            'INSERT INTO memberships (account, project, role, "by", time) '
            "SELECT a.name, p.slug, a.role, '', :now FROM accounts a CROSS JOIN projects p WHERE a.role <> 'admin'"
        ),
        {"now": now},
    )
    op.execute("UPDATE accounts SET role = 'viewer' WHERE role <> 'admin'")
