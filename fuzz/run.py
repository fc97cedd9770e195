"""Fuzz the compiled core: build the target with sanitizers, replay the corpus, then run generated inputs.

    python fuzz/run.py --inputs 1000000            what `make test-full` runs
    python fuzz/run.py --inputs 0 --seconds 600    ten minutes, whatever the number
    python fuzz/run.py --sanitizers thread         data races instead of memory faults
    python fuzz/run.py --portable                  without what the compiler and the processor have of their own
    python fuzz/run.py --target windows            as a program for Windows, under Wine
    python fuzz/run.py --target aarch64            as a program for 64-bit ARM, under QEMU
    python fuzz/run.py --replay FILE               one saved input again

Same seed, same inputs. An input that fails is saved, and the exit status is 1. Where clang is installed, its own
fuzzer takes the same target and corpus:

    clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Isrc/rankproof/core -Ifuzz \\
        fuzz/core_target.cpp \\
        src/rankproof/core/{bm25,judgments,judgments_text,platform,postings,ranked,ranking,rowjoin,rows,scan}.cpp \\
        -o fuzz_core
    ./fuzz_core fuzz/corpus

Programs for other machines need packages of Debian's: g++-mingw-w64-x86-64 and wine64, or g++-aarch64-linux-gnu and
qemu-user. Sanitizers are not there for them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CORE = ROOT / "src" / "rankproof" / "core"
BUILD = ROOT / "build" / "fuzz"
# The core, but for the part that needs Python.
NEEDS_PYTHON = ("arrow", "dicts", "input", "module", "words")
SOURCES = [
    HERE / "driver.cpp",
    HERE / "core_target.cpp",
    *sorted(path for path in CORE.glob("*.cpp") if path.stem not in NEEDS_PYTHON),
]
FLAGS = [
    "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-Wall", "-Wextra", "-pthread",
    f"-I{CORE}", f"-I{HERE}",
]  # fmt: skip
# Status of a driver that ends itself because an input takes too long.
HUNG = 124


class Target(NamedTuple):
    """A machine that the driver is built for: the compilers to choose from, and what runs its programs here."""

    name: str
    compilers: tuple[str, ...]
    emulators: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    packages: str = ""


TARGETS = {
    "here": Target("here", ("g++", "clang++")),
    "windows": Target(
        "windows",
        ("x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"),
        ("wine64", "wine", "/usr/lib/wine/wine64"),
        ("-static",),
        "g++-mingw-w64-x86-64 wine64",
    ),
    "aarch64": Target(
        "aarch64",
        ("aarch64-linux-gnu-g++",),
        ("qemu-aarch64", "qemu-aarch64-static"),
        ("-static",),
        "g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user",
    ),
}
# Quarantine keeps freed memory out of use for a while; a little is enough for inputs of a few kilobytes.
OPTIONS = {"ASAN_OPTIONS": "quarantine_size_mb=8", "UBSAN_OPTIONS": "print_stacktrace=1", "WINEDEBUG": "-all"}


def first_installed(names: tuple[str, ...], target: Target) -> str:
    """The first of some programs that is there."""
    found = next((path for path in map(shutil.which, names) if path is not None), None)
    if found is None:
        install = f" Install: apt-get install {target.packages}" if target.packages else " Install one, or set CXX."
        sys.exit(f"fuzz/run.py needs {' or '.join(names)} for the target {target.name}, and there is none.{install}")
    return found


def command(target: Target, driver: Path) -> list[str]:
    """How the driver is run here."""
    return [*([first_installed(target.emulators, target)] if target.emulators else []), str(driver)]


def build(sanitizers: str, target: Target, portable: bool) -> Path:
    """The driver, compiled anew only when a source or a flag has changed."""
    own = os.environ.get("CXX") if target.name == "here" else None
    compiler = own or first_installed(target.compilers, target)
    flags = [*FLAGS, *target.flags]
    if sanitizers != "none":
        flags += [f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all"]
    if portable:
        flags.append("-DRANKPROOF_PORTABLE")
    headers = sorted([*HERE.glob("*.hpp"), *CORE.glob("*.hpp")])
    state = hashlib.sha256(" ".join([compiler, *flags]).encode())
    for path in [*SOURCES, *headers]:
        state.update(path.read_bytes())
    label = "-".join([target.name, *(["portable"] if portable else []), *sanitizers.split(",")])
    driver = BUILD / f"driver-{label}-{state.hexdigest()[:16]}"
    if driver.exists():
        return driver
    BUILD.mkdir(parents=True, exist_ok=True)
    for older in BUILD.glob(f"driver-{label}-*"):
        older.unlink(missing_ok=True)
    objects = [BUILD / f"{source.stem}-{label}-{os.getpid()}.o" for source in SOURCES]

    def compile_one(source: Path, target: Path) -> None:
        subprocess.run([compiler, *flags, "-c", str(source), "-o", str(target)], check=True)

    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(compile_one, SOURCES, objects))
    part = driver.with_suffix(f".{os.getpid()}.part")
    subprocess.run([compiler, *flags, *map(str, objects), "-o", str(part)], check=True)
    part.replace(driver)
    for path in objects:
        path.unlink(missing_ok=True)
    return driver


def replay(driver: list[str], files: list[Path]) -> bool:
    """Whether all saved inputs pass."""
    done = subprocess.run(
        [*driver, *files], env={**os.environ, **OPTIONS}, stderr=subprocess.PIPE, text=True, check=False
    )
    print(f"fuzz: {len(files)} saved inputs, {'all pass' if done.returncode == 0 else 'one fails'}")
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    return done.returncode == 0


def generate(driver: list[str], inputs: int, seconds: float, seed: int, processes: int) -> bool:
    """Whether all generated inputs pass; they are shared out over processes."""
    started = time.monotonic()
    each = -(-inputs // processes)
    held = [BUILD / f"current-{os.getpid()}-{i}" for i in range(processes)]
    # Seeds far apart: run 1 and run 2 of two processes each must not share half of their inputs.
    running = [
        subprocess.Popen(
            [*driver, str(seed * 1000 + i), str(each), str(seconds), held[i]],
            env={**os.environ, **OPTIONS},
            stdout=subprocess.PIPE,
            text=True,
        )
        for i in range(processes)
    ]
    done = size = 0
    well = True
    for process, current in zip(running, held, strict=True):
        said, _ = process.communicate()
        if process.returncode == 0:
            count, length = map(int, said.split())
            done, size = done + count, size + length
        else:
            well = False
            save(current, process.returncode, seed)
        current.unlink(missing_ok=True)
    spent = time.monotonic() - started
    print(f"fuzz: {done:,} inputs ({size / 1e6:,.0f} MB) in {spent:,.0f} s, seed {seed}, {processes} processes")
    return well


def save(current: Path, status: int, seed: int) -> None:
    """Keeps the input that ended a process, and says how to run it again."""
    data = current.read_bytes()
    content = data[8 : 8 + int.from_bytes(data[:8], sys.byteorder)]
    path = BUILD / f"failing-{hashlib.sha256(content).hexdigest()[:12]}"
    path.write_bytes(content)
    why = "it hung" if status == HUNG else f"status {status}"
    print(f"fuzz: an input failed ({why}, seed {seed}). Again: python fuzz/run.py --replay {path}", file=sys.stderr)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="at least so many inputs in all")
    parser.add_argument("--seconds", type=float, default=0, help="and at least so long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--sanitizers", help="for -fsanitize=, or none; by default address,undefined, none elsewhere")
    parser.add_argument("--target", choices=TARGETS, default="here", help="the machine that the driver is built for")
    parser.add_argument("--portable", action="store_true", help="plain C++ only, as on other compilers and processors")
    parser.add_argument("--replay", type=Path, nargs="+", help="run these saved inputs only")
    options = parser.parse_args()
    target = TARGETS[options.target]
    sanitizers = options.sanitizers or ("address,undefined" if target.name == "here" else "none")
    driver = command(target, build(sanitizers, target, options.portable))
    if options.replay:
        return 0 if replay(driver, options.replay) else 1
    if not replay(driver, sorted((HERE / "corpus").iterdir())):
        return 1
    return 0 if generate(driver, options.inputs, options.seconds, options.seed, options.processes) else 1


if __name__ == "__main__":
    sys.exit(main())
