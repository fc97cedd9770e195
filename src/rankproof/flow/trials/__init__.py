"""What a trial showed: effects of variants from sufficient statistics, checks before them and planning ahead."""
