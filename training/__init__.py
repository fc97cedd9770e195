"""Training of the models that rankproof ships: what they learn from, the training itself, and their cards."""
