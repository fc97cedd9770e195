"""The maker of the bundled shop sample: catalog and rules in; corpus, queries and judgments out."""
