"""The maker of the shop writes the shipped bytes, and its rules grade as a careful person would."""

from __future__ import annotations

import gzip
import hashlib
import json
import runpy
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from examples.shop.catalog import Product, read_catalog, read_product
from examples.shop.files import files, read_pool
from examples.shop.grading import ShopQuery, grade, holds, read_queries
from examples.shop.ladder import SHIPPED as SHIPPED_LADDER
from examples.shop.ladder import files as ladder_files
from tests.raising import raises

from rankproof.reading.datasets.read import read_dataset
from rankproof.stack.benchmark.config import read_config
from rankproof.stack.samples import ladder, ladder_run, shop

ROOT = Path(__file__).resolve().parents[3]


@cache
def by_title() -> dict[str, Product]:
    return {product.title: product for product in read_catalog()}


@cache
def by_text() -> dict[str, ShopQuery]:
    return {query.text: query for query in read_queries()}


def product(title: str) -> Product:
    (found,) = (one for name, one in by_title().items() if name.startswith(title))
    return found


def test_the_maker_gives_the_shipped_bytes() -> None:
    for name, content in files().items():
        assert content == (Path(shop()) / name).read_bytes(), f"{name} is stale: run python -m examples.shop"


def test_the_command_writes_every_file(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "examples.shop", str(tmp_path)], cwd=ROOT, check=True)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files()


def test_the_command_writes_where_the_package_has_the_files() -> None:
    """It wrote to a folder that the package had left."""
    assert Path(shop()).samefile(runpy.run_path(str(ROOT / "examples/shop/__main__.py"), run_name="read")["SHIPPED"])
    assert Path(ladder()).parent.samefile(SHIPPED_LADDER)


def test_the_ladder_that_is_shipped_is_made_from_a_report(tmp_path: Path) -> None:
    """Unpacked as a demo writes it and made again: the same bytes."""
    place = Path(ladder()).parent
    (tmp_path / "runs").mkdir()
    fetched = json.loads((place / "fetch.json").read_text("utf-8"))
    for mode in fetched["modes"]:
        (tmp_path / mode["run"]).write_bytes(gzip.decompress(Path(ladder_run(mode["mode"])).read_bytes()))
        assert hashlib.sha256((tmp_path / mode["run"]).read_bytes()).hexdigest() == mode["sha256"]
    (tmp_path / "fetch.json").write_text(json.dumps({**fetched, "observed": {"seconds": 1}}))
    made = ladder_files(tmp_path)
    assert json.loads(made.pop("fetch.json")) == fetched
    assert {name: gzip.decompress(content) for name, content in made.items()} == {
        name: gzip.decompress((place / name).read_bytes()) for name in made
    }
    assert made.keys() == {path.name for path in place.glob("*.gz")}


def test_the_ladder_was_run_on_the_shop_as_it_is() -> None:
    """Changed products, queries or judgments need a new run: python -m examples.shop.ladder says how."""
    fetched = json.loads((Path(ladder()).parent / "fetch.json").read_text("utf-8"))
    assert fetched["dataset"]["sha256"] == read_dataset("sample:shop").content_hash
    assert {mode["mode"]: mode["key"] for mode in fetched["modes"]} == {
        name: pipeline.key for name, pipeline in read_config(ladder()).modes.items()
    }


def test_expressions() -> None:
    assert holds("bulb e26", {"bulb", "e26", "warm"})
    assert not holds("bulb e26", {"bulb", "e12"})
    assert holds("bulb -warm", {"bulb", "e26"})
    assert not holds("bulb -warm", {"bulb", "warm"})


def test_every_expression_of_every_rule_finds_something() -> None:
    catalog = read_catalog()
    idle = [
        (query.text, expression)
        for query in read_queries()
        for _, expressions in query.rules
        for expression in expressions
        if not any(holds(expression, one.tags) for one in catalog)
    ]
    assert idle == []


def test_the_pool_names_queries_and_products_that_exist() -> None:
    pool = read_pool()
    assert set(pool) == {query.query_id for query in read_queries()}
    assert set().union(*pool.values()) <= {one.doc_id for one in read_catalog()}


def test_a_product_without_bullets_is_refused() -> None:
    with raises(ValueError, "'A lamp'"):
        read_product("A lamp\nBrand | lamp\n\nShines.")


@pytest.mark.parametrize(
    ("query", "title", "expected"),
    [
        ("10 inch cast iron skillet", "Ferrundel 10-Inch Cast Iron Skillet", 3),
        ("10 inch cast iron skillet", "Ferrundel 12-Inch Cast Iron Skillet", 2),
        ("10 inch cast iron skillet", "Tempered Glass Lid for 10-Inch", 1),
        ("10 inch cast iron skillet", "Ferrundel Cast Iron Lid, 12 Inch", 0),
        ("yoga mat without PVC", "Asanry Cork Yoga Mat", 3),
        ("yoga mat without PVC", "Strydal Classic PVC Yoga Mat", 0),
        ("fragrance free laundry detergent", "Sudsworth Pure Powder", 3),
        ("fragrance free laundry detergent", "Clearmoor Dye-Free Laundry Pods, Spring", 0),
        ("case for solvane s7", "Clear Shockproof Case", 3),
        ("case for solvane s7", "Universal Waterproof Phone Pouch", 2),
        ("case for solvane s7", "Solvane S7 Smartphone, 128 GB", 1),
        ("case for solvane s7", "Rugged Armor Case for Solvane S7 Max", 0),
        ("street lamp outside keeps me awake", "Somnavale Contoured Eye Mask", 3),
        ("street lamp outside keeps me awake", "Wrenloft Arc Floor Lamp", 0),
        ("NS-20", "Ossavelle NS-20 Electric Toothbrush, White", 3),
        ("NS-20", "Ossavelle NS-10 Electric Toothbrush", 2),
        ("NS-20", "Brush Heads for Ossavelle NS-20", 1),
        ("NS-20", "Brush Heads for Ossavelle NS-10", 0),
        ("zandrel", "Zandrel R3 Robot Vacuum", 3),
        ("zandrel", "Replacement Battery for Zandrel V12", 1),
        ("zandrel", "Clearmoor Cylinder Vacuum", 0),
        ("expresso machene", "Grisholm Barista 15", 3),
        ("expresso machene", "Brewick Capsa Pod", 2),
        ("expresso machene", "Brewick Mill Conical Burr", 1),
    ],
)
def test_grades_by_hand(query: str, title: str, expected: int) -> None:
    assert grade(by_text()[query], product(title)) == expected
