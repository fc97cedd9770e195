"""A judge's grades held against people's: agreement, bias, stability, and whether systems keep their order."""
