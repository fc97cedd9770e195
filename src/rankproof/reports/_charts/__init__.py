"""Charts: Vega-Lite specifications as plain dicts, made from records; drawn by vl-convert, which needs no network."""
