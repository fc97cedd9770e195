"""Users: click logs, counterfactual estimates, interleaving, A/B tests, ramps, and offline against online."""
