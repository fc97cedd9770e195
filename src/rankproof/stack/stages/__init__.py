"""The shelf of stages: things that transform rankings, one file each."""
