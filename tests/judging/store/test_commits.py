"""What the database itself does with commits, in SQLite; a placeholder for what mutants showed to be missing."""
