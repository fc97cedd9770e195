"""A benchmark on several datasets: each measured on its own, and one verdict over them, as BEIR has it."""
