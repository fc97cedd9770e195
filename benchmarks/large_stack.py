"""What bm25 costs on large corpora, against Tantivy called by hand on the same documents.

    python -m benchmarks.large_stack                          50,000 documents, and the gate
    python -m benchmarks.large_stack --documents 500000       the full form
    python -m benchmarks.large_stack --documents 3000000 --disk

Documents are generated: words of a Zipf vocabulary with inflections, stop words where English has them, lengths like
those of passages (about 56 words). Both read them from one JSONL file into Python strings, each in a process of its
own, index them (small letters, English stop words and stems) and answer 200 queries 100 deep. The ratio is that of
processor time, user and system, of all threads, from documents in memory to answers; peak memory is that of the whole
process (VmHWM). --disk stores the index in a cache folder and answers again in a process that finds it there. The gate:
at most 1.2 times Tantivy's processor time; at most 1.2 GB at 500,000 documents, 8 GB with --disk.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from benchmarks.scale import peak_megabytes

DEPTH, QUERIES, VOCABULARY, MEDIAN = 100, 200, 1_000_000, 49
MOST_RATIO, MOST_MEGABYTES, MOST_ON_DISK = 1.2, 1200, 8000
STOP_WORDS = (
    "the", "of", "and", "to", "a", "in", "is", "for", "that", "on", "it", "with", "as", "are", "this", "be", "by",
    "was", "or", "at", "from", "an", "not", "which", "have",
)  # fmt: skip
HEADS = ("b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "br", "ch")
SYLLABLES = [head + vowel for head in HEADS for vowel in "aeiou"]
ENDINGS = ("", "s", "ed", "ing", "er", "ly")


def word(rank: int) -> str:
    """The word at a rank of the vocabulary: stop words first, then syllables, longer ones the rarer they are."""
    if rank < len(STOP_WORDS):
        return STOP_WORDS[rank]
    number, text = rank // len(ENDINGS) + len(SYLLABLES), ""
    while number:
        number, syllable = divmod(number, len(SYLLABLES))
        text += SYLLABLES[syllable]
    accent = "é" if rank % 997 == 500 else ""
    return text + accent + ENDINGS[rank % len(ENDINGS)]


def documents(count: int, median: int, seed: int = 0, at_a_time: int = 20_000) -> Iterator[tuple[str, str]]:
    """Ids and texts: sentences of about a dozen words, half of the texts shorter than `median`."""
    rng = np.random.default_rng(seed)
    words = [word(rank) for rank in range(VOCABULARY)]
    share = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.05
    up_to = np.cumsum(share / share.sum())
    for first in range(0, count, at_a_time):
        lengths = np.clip(rng.lognormal(np.log(median), 0.5, min(at_a_time, count - first)), 5, 8 * median).astype(int)
        drawn = np.minimum(np.searchsorted(up_to, rng.random(int(lengths.sum()))), VOCABULARY - 1).tolist()
        begin = 0
        for number, length in enumerate(lengths.tolist(), first):
            chosen = [words[i] for i in drawn[begin : begin + length]]
            begin += length
            sentences = (" ".join(chosen[i : i + 12]).capitalize() for i in range(0, length, 12))
            yield f"doc{number:08d}", ". ".join(sentences) + "."


def write(corpus: Path, queries: Path, count: int, median: int) -> None:
    """The documents, and queries of some words each of one document."""
    rng, texts = np.random.default_rng(1), []
    with corpus.open("w") as file:
        for number, (doc, text) in enumerate(documents(count, median)):
            file.write(json.dumps({"_id": doc, "text": text}, ensure_ascii=False) + "\n")
            if number % max(count // QUERIES, 1) == 0 and len(texts) < QUERIES:
                own = text.replace(".", "").split()
                texts.append(" ".join(rng.choice(own, int(rng.integers(2, 9)))))
    queries.write_text(json.dumps(texts))


# ---- the two of them, each in a process of its own -----------------------------------------------

Step = Callable[[], None]


def with_rankproof(corpus: str, texts: list[str], cache: str) -> tuple[Step, Step, Callable[[], list[list[str]]]]:
    from rankproof.kernel import shelf
    from rankproof.kernel.cache import NO_CACHE, FolderCache
    from rankproof.reading.collection import Query
    from rankproof.reading.datasets.documents import read_json_lines
    from rankproof.stack.records import Ground
    from rankproof.testing.rankings import parameters_of

    engine, held = shelf.find("engines", "bm25"), []

    def read() -> None:
        ground = Ground(read_json_lines(corpus)[0], FolderCache(cache) if cache else NO_CACHE)
        held.append(engine.open(parameters_of(engine, k1=1.2), ground))

    def answer() -> list[list[str]]:
        rankings = held[0].search([Query(str(i), text) for i, text in enumerate(texts)], DEPTH)
        for name, note in getattr(held[0], "notes", {}).items():
            print(f"{name}: {note}", file=sys.stderr)
        return [list(ranking.doc_ids) for ranking in rankings]

    return read, lambda: held[0].prepare(), answer


def with_tantivy(corpus: str, texts: list[str], _: str) -> tuple[Step, Step, Callable[[], list[list[str]]]]:
    import tantivy

    folder = tempfile.TemporaryDirectory()
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", fast=True)
    builder.add_text_field("text", tokenizer_name="english", index_option="freq")
    index = tantivy.Index(builder.build(), path=folder.name)
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for one in ("lowercase", "stopword", "stemmer"):
        analyzer = analyzer.filter(getattr(tantivy.Filter, one)(*(["english"] if one != "lowercase" else [])))
    built = analyzer.build()
    index.register_tokenizer("english", built)
    docs: list[tuple[str, str]] = []

    def read() -> None:
        with open(corpus, encoding="utf-8") as file:
            docs.extend((row["_id"], row["text"]) for row in map(json.loads, file))

    def build() -> None:
        writer = index.writer(num_threads=1)
        for number, (_, text) in enumerate(docs):
            document = tantivy.Document()
            document.add_unsigned("number", number)
            document.add_text("text", text)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()

    def answer() -> list[list[str]]:
        searcher, found = index.searcher(), []
        for text in texts:
            terms = [tantivy.Query.term_query(index.schema, "text", word) for word in built.analyze(text)]
            query = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
            hits = searcher.search(query, DEPTH, count=False).hits
            numbers = searcher.fast_field_values("number", [address for _, address in hits])
            found.append([docs[number][0] for number in numbers])
        folder.cleanup()
        return found

    return read, build, answer


WAYS = {"rankproof": with_rankproof, "tantivy": with_tantivy}


def measured(way: str, corpus: str, queries: str, cache: str) -> dict[str, object]:
    """One way in this process: processor seconds of each step, and the peak."""
    read, build, answer = WAYS[way](corpus, json.loads(Path(queries).read_text()), cache)
    began = time.perf_counter()
    times = [time.process_time()]
    read()
    times.append(time.process_time())
    build()
    times.append(time.process_time())
    found = answer()
    times.append(time.process_time())
    steps = dict(zip(("read", "index", "answer"), np.diff(times).tolist(), strict=True))
    return {**steps, "start": times[0], "clock": time.perf_counter() - began, "peak": peak_megabytes(), "found": found}


def child(way: str, corpus: Path, queries: Path, cache: str = "") -> dict[str, object]:
    command = [sys.executable, "-m", "benchmarks.large_stack", "--one", way, str(corpus), str(queries), cache]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def shown(name: str, of: dict[str, object]) -> float:
    """Prints what one way cost; the processor time from documents to answers."""
    total = float(of["index"]) + float(of["answer"])
    print(
        f"{name:16} index {of['index']:7.2f} s  {QUERIES} queries {of['answer']:6.2f} s  together {total:7.2f} s of "
        f"the processor; peak {of['peak']:,.0f} MB (read {of['read']:.2f} s, {of['clock']:.1f} s by the clock)"
    )
    return total


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=50_000)
    options.add_argument("--words", type=int, default=MEDIAN, help="half of the documents have fewer")
    options.add_argument("--disk", action="store_true", help="bm25 alone, with its index in a cache folder")
    options.add_argument("--folder", help="where documents are generated, and kept; a temporary folder by default")
    options.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one:
        print(json.dumps(measured(*chosen.one)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(chosen.folder or temporary)
        name = f"{chosen.documents}x{chosen.words}"
        corpus, queries = folder / f"corpus-{name}.jsonl", folder / f"queries-{name}.json"
        if not queries.exists():
            write(corpus, queries, chosen.documents, chosen.words)
        print(f"{chosen.documents:,} documents, {corpus.stat().st_size / 1e6:,.0f} MB; load {os.getloadavg()[0]:.1f}")
        return on_disk(corpus, queries, temporary) if chosen.disk else against(corpus, queries, chosen.documents)


def against(corpus: Path, queries: Path, count: int) -> int:
    """Both in turn; whether the gate holds."""
    answers = {way: child(way, corpus, queries) for way in WAYS}
    totals = {way: shown(way, answer) for way, answer in answers.items()}
    pairs = list(zip(*(answers[way]["found"] for way in WAYS), strict=True))
    same = np.mean([len(set(a[:10]) & set(b[:10])) / max(len(b[:10]), 1) for a, b in pairs])
    ratio, peak = totals["rankproof"] / totals["tantivy"], float(answers["rankproof"]["peak"])
    print(f"{same:.0%} of the first ten documents are the same")
    print(f"ratio {ratio:.2f} (at most {MOST_RATIO}); peak {peak:,.0f} MB", end="")
    print(f" (at most {MOST_MEGABYTES:,} MB)" if count >= 500_000 else "")
    return int(ratio > MOST_RATIO or (count >= 500_000 and peak > MOST_MEGABYTES))


def on_disk(corpus: Path, queries: Path, cache: str) -> int:
    """One process that makes the index, and one that finds it."""
    first, second = (child("rankproof", corpus, queries, cache) for _ in range(2))
    shown("made and stored", first)
    shown("found", second)
    if first["found"] != second["found"]:
        print("The answers differ.")
        return 1
    peak = max(float(first["peak"]), float(second["peak"]))
    print(f"peak {peak:,.0f} MB (at most {MOST_ON_DISK:,} MB)")
    return int(peak > MOST_ON_DISK)


if __name__ == "__main__":
    sys.exit(main())
