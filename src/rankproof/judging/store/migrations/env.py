"""Where alembic runs the migrations of the judging store: on the connection that it was given."""

from __future__ import annotations

from alembic import context

from rankproof.judging.store.migrate import VERSION_TABLE
from rankproof.judging.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
