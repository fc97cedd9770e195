"""Migrations of the judging store, run by alembic."""
