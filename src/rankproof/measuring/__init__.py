"""From a run and judgments to values: the judged table, measures, dialects, ties, fine print."""
