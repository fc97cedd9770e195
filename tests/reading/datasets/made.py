"""Small datasets of every layout, written to a folder: two products, two queries, three judgments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

DOCUMENTS = {"d1": ("red lamp", "a lamp"), "d2": ("blue chair", ""), "d3": ("green desk", "a desk")}
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d2 1\n"
JUDGED = {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}
TEXTS = {"q1": "lamp", "q2": "chair"}


def write(folder: Path, files: Mapping[str, str]) -> str:
    """Writes the files, folders included, and gives the folder's path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return str(folder)


def json_lines(*records: Mapping[str, object]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


CORPUS = json_lines(*({"_id": doc, "title": title, "text": text} for doc, (title, text) in DOCUMENTS.items()))
QUERIES = json_lines(*({"_id": query, "text": text} for query, text in TEXTS.items()))


def beir(folder: Path, **more: str) -> str:
    """A BEIR-like folder with qrels.trec; `more` replaces or adds files by their names' stems."""
    names = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels.trec"}
    texts = {"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS, **more}
    return write(folder, {names[stem]: text for stem, text in texts.items()})


def splits(folder: Path) -> str:
    """A BEIR folder with the splits dev (q1) and test (q2, q3), where q3 has the text of q1 in other letters."""
    header = "query-id\tcorpus-id\tscore\n"
    queries = QUERIES + json_lines({"_id": "q3", "text": " LAMP!"}, {"_id": "q4", "text": "of no split"})
    files = {
        "corpus.jsonl": CORPUS,
        "queries.jsonl": queries,
        "qrels/dev.tsv": f"{header}q1\td1\t2\nq1\td2\t0\n",
        "qrels/test.tsv": f"{header}q2\td2\t1\nq3\td3\t1\n",
    }
    return write(folder, files)


def esci(folder: Path) -> str:
    """ESCI's two Parquet files: p1 is another product in the locale es; one query of the split train."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    examples = [
        (1, "lamp", "p1", "us", "E", 1, 1, "test"),
        (1, "lamp", "p2", "us", "I", 1, 1, "test"),
        (2, "chair", "p2", "us", "S", 0, 1, "test"),
        (3, "silla", "p1", "es", "C", 1, 1, "test"),
        (4, "desk", "p3", "us", "C", 1, 1, "train"),
    ]
    names = ("query_id", "query", "product_id", "product_locale", "esci_label", "small_version", "large_version")
    columns = {name: [row[i] for row in examples] for i, name in enumerate((*names, "split"))}
    pq.write_table(pa.table(columns), folder / "shopping_queries_dataset_examples.parquet")
    products = {
        "product_id": ["p1", "p2", "p3", "p1"],
        "product_title": ["Lamp", "Chair", "Desk", "Silla"],
        "product_description": [None, "<b>oak</b>", "pine", "madera"],
        "product_bullet_point": ["bright\nsmall", None, "", ""],
        "product_brand": ["Lux", "Sit", "Work", "Sit"],
        "product_color": ["red", None, "green", "rojo"],
        "product_locale": ["us", "us", "us", "es"],
    }
    pq.write_table(pa.table(products), folder / "shopping_queries_dataset_products.parquet")
    return str(folder)


def wands(folder: Path, labels: str = "") -> str:
    """WANDS' three files, with a quoted description that holds a line end."""
    product = (
        "product_id\tproduct_name\tproduct_class\tcategory hierarchy\tproduct_description\tproduct_features\t"
        "rating_count\taverage_rating\treview_count\n"
        "0\tred lamp\tLamps\tLighting / Lamps\ta lamp\tcolor : red|height : 4\t15\t4.5\t15\n"
        '1\tblue chair\tChairs\tFurniture\t"a chair\nof ""oak"""\t\t\t\t\n'
    )
    query = "query_id\tquery\tquery_class\n0\tlamp\tLamps\n1\tchair\tChairs\n"
    label = labels or "id\tquery_id\tproduct_id\tlabel\n0\t0\t0\tExact\n1\t0\t1\tIrrelevant\n2\t1\t1\tPartial\n"
    return write(folder, {"product.csv": product, "query.csv": query, "label.csv": label})
