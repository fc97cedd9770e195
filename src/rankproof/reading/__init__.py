"""Rankings and judgments in any form: formats, checks, datasets, and the records they become."""
