"""A/B tests (trials): effects of variants from sufficient statistics, checks, planning and decisions."""
