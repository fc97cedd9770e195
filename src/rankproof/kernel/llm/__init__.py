"""Language models over an OpenAI-compatible API or run locally: requests, answers, retries, deadlines."""
