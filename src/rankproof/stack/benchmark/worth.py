"""Quality for its price: which modes no other one beats, in words, and the columns of what they cost."""

from __future__ import annotations

from rankproof.stack.benchmark.records import Benchmark, ModeRow

WORTH = "Quality for its price"
MOST_PLACES = 6
UNKNOWN = "unknown"
# Follows "what has no price costs nothing" where tokens have prices.
TOKENS_PAID = "; tokens are those that a model's server counted when it was asked, also where its answer was kept since"


def times(benchmark: Benchmark) -> dict[str, object]:
    """Milliseconds of single queries that were asked one at a time, by mode."""
    return {row.mode: row.latency.to_dict() for row in benchmark.rows}


def throughputs(benchmark: Benchmark) -> dict[str, object]:
    """Answers per second and times under load, by mode; null where they were not measured."""
    return {row.mode: None if row.throughput is None else row.throughput.to_dict() for row in benchmark.rows}


def unbeaten_in_time(benchmark: Benchmark) -> list[str]:
    """The modes that no other one beats in both time and the first measure, fastest first."""
    return list(benchmark.unbeaten.get("time", ()))


def views(benchmark: Benchmark) -> tuple[str, ...]:
    """The prices that quality is held against, in the order of the configuration; money last."""
    names = tuple("time" if name == "latency" else name for name in benchmark.config.view.names)
    return (*names, "cost") if benchmark.config.prices is not None else names


def price_title(benchmark: Benchmark, what: str) -> str:
    """What a price is called in a sentence."""
    if what == "tokens":
        return f"tokens of the first {benchmark.config.view.prompt_depth}"
    return {"time": "median time", "calls": "calls of a model", "cost": "cost of 1,000 queries"}[what]


def price_text(benchmark: Benchmark, what: str, price: float) -> str:
    """A price with its unit."""
    if what == "time":
        return f"{price:.1f} ms"
    if what == "cost":
        currency = benchmark.config.prices.currency if benchmark.config.prices is not None else ""
        return f"{money(benchmark, price)} {currency}".rstrip()
    return f"{price:,.1f} {what}"


def price_columns(benchmark: Benchmark) -> list[tuple[str, dict[str, str]]]:
    """The columns beside values and times: header, and a cell for each mode."""
    columns = []
    for what in views(benchmark):
        if what == "cost":
            paid = {row.mode: _paid(benchmark, row) for row in benchmark.rows}
            columns.append((cost_title(benchmark), paid))
        elif what != "time":
            header = "calls" if what == "calls" else f"tokens@{benchmark.config.view.prompt_depth}"
            columns.append((header, {row.mode: _cell(row, what) for row in benchmark.rows}))
    if "calls" in views(benchmark) and any(row.price("calls") for row in benchmark.rows):
        at = next(i for i, (header, _) in enumerate(columns) if header == "calls")
        columns.insert(at + 1, ("model tokens", {row.mode: _told(row) for row in benchmark.rows}))
    return columns


def _paid(benchmark: Benchmark, row: ModeRow) -> str:
    return UNKNOWN if row.cost is None else money(benchmark, row.cost)


def _cell(row: ModeRow, what: str) -> str:
    price = row.price(what)
    return UNKNOWN if price is None else f"{price:,.1f}"


def _told(row: ModeRow) -> str:
    tokens = None if row.amounts is None else row.amounts.model_tokens.mean
    return UNKNOWN if tokens is None else f"{tokens:,.1f}"


def cost_title(benchmark: Benchmark) -> str:
    """The header of what 1,000 queries cost."""
    currency = benchmark.config.prices.currency if benchmark.config.prices is not None else ""
    return f"{currency} per 1,000" if currency else "cost per 1,000"


def money(benchmark: Benchmark, cost: float) -> str:
    """A cost with as many decimals as all of them need, two at least."""
    costs = [row.cost for row in benchmark.rows if row.cost is not None]
    places = next((p for p in range(2, MOST_PLACES) if all(abs(round(c, p) - c) < 1e-9 for c in costs)), MOST_PLACES)
    return f"{cost:,.{places}f}"


def listed(names: list[str]) -> str:
    """Names in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def worth(benchmark: Benchmark, times: bool = True) -> tuple[str, ...]:
    """For each price: who is beaten by nobody, and whose price is not known. By the observed values, not by tests."""
    measure = benchmark.config.measures[0]
    rows = {row.mode: row for row in benchmark.rows}
    lines = []
    for what in views(benchmark):
        if what == "time" and not times:
            continue
        if what in benchmark.unbeaten:
            modes = benchmark.unbeaten[what]
            priced = {mode: price for mode in rows if (price := rows[mode].price(what)) is not None}
            beaten = [mode for mode in priced if mode not in modes]
            named = ", ".join(f"{mode} ({price_text(benchmark, what, priced[mode])})" for mode in modes)
            rest = f"{listed(beaten)} {'is' if len(beaten) == 1 else 'are'}" if beaten else "none is"
            title = price_title(benchmark, what)
            lines.append(f"{measure} and {title}: no other mode beats {named} in both; {rest} beaten.")
        lines += _unknown(benchmark, what)
    return tuple(lines)


def _unknown(benchmark: Benchmark, what: str) -> list[str]:
    """Which modes have no such price, and why; times say it elsewhere."""
    modes: dict[str, list[str]] = {}
    for row in benchmark.rows:
        amount = None if row.amounts is None else row.amounts.tokens if what == "tokens" else row.amounts.calls
        why = row.unpriced if what == "cost" else amount.why if amount is not None and what != "time" else ""
        if why:
            modes.setdefault(why, []).append(row.mode)
    title = price_title(benchmark, what)
    return [f"{title[0].upper()}{title[1:]}: unknown for {listed(names)}: {why}." for why, names in modes.items()]
