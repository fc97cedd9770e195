"""Rankings and judgments in any format: formats, checks, datasets, and the records made of them."""
