"""The search stack: engines, stages, pipelines, benchmarks and tuning."""
