# Everything a machine with Python 3.11 needs is installed on the way; nothing has to be done before.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
READY = $(VENV)/.ready
MADE_OF = pyproject.toml constraints.txt setup.py $(shell find src -name "*.[ch]")
# One more than there are cores: some tests wait for a process or a clock.
JOBS ?= $(shell expr $$(nproc) + 1)
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

.PHONY: demo test lint soak bench quality mutants clean

demo: $(INSTALLED)
	rm -rf demo-web
	$(BIN)/gossamer demo demo-web

test: $(READY) lint
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check src tests bench quality
	$(BIN)/ruff format --check src tests bench quality
	$(BIN)/mypy

soak: $(READY)
	$(BIN)/pytest -m soak --timeout 0

bench: $(READY)
	$(BIN)/python bench/run.py
	$(BIN)/python bench/politeness.py
	$(BIN)/python bench/index.py
	$(BIN)/python bench/search.py
	$(BIN)/python bench/ranks.py

quality: $(READY)
	$(BIN)/python quality/run.py

MUTANTS ?=
mutants: $(READY)
	$(BIN)/python quality/mutants.py $(MUTANTS)

clean:
	rm -rf $(VENV) demo-web build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name "*.so" -delete
	find src tests bench quality -name __pycache__ -type d -prune -exec rm -rf {} +

# A demonstration needs no developers' tools.
$(INSTALLED): $(MADE_OF)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	touch $(INSTALLED)

$(READY): $(MADE_OF)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[dev]'
	touch $(INSTALLED) $(READY)
