"""Draft test queries from a corpus with a model: plan, prompts, answers on record, marks. Drafts are never gold."""
