"""The maker of the bundled shop sample: hand-written catalog and queries in, corpus, queries and judgments out."""
