"""The choices that every stage with a language model leaves open."""

from __future__ import annotations

from rankproof.kernel.specs.kinds import Choice, Number, Param, Text, Whole

ASKING = (
    Param("endpoint", Text(), "local", "address of an OpenAI-compatible server up to /v1, or local"),
    Param("model", Text(), None, "the model's name at the endpoint; with local, a GGUF file or nothing"),
    Param("api", Choice(("chat", "completions")), "chat", "which of the server's two interfaces is asked"),
    Param("key_env", Text(), None, "environment variable that has the key, where the server wants one"),
    Param("temperature", Number(0), 0.0, "randomness of the answers"),
    Param("seed", Whole(0), 0, "seed that the server is told"),
    Param("timeout", Number(0, open_low=True), 60.0, "seconds that one answer may take as a whole"),
    Param("retries", Whole(0), 2, "how often a question is asked again when no answer came"),
    Param("concurrency", Whole(1), 4, "questions under way at once"),
)
