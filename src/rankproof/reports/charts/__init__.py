"""Charts: Vega-Lite specifications as plain dicts, drawn to SVG or PNG by vl-convert."""
