# On a fresh machine with Python 3.11 or later: `make demo` or `make test`. Everything goes into .venv/.
PYTHON ?= python3
BIN := .venv/bin
# Spark is large, and of no use without Java.
EXTRAS := server$(shell command -v java >/dev/null && echo ,spark)
# What takes longest first, so that no worker waits at the end.
KILLED := $(addprefix tests/surfaces/test_,server_processes.py curator_killed.py stream_killed.py ledger_processes.py)

.PHONY: demo test lint types contracts docs tests soak bench pictures clean

demo: .venv/ready
	$(BIN)/noiseless demo --out demo

test: .venv/ready
	$(MAKE) --jobs 2 --output-sync lint types contracts docs
	$(MAKE) tests

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready
	$(BIN)/mypy

contracts: .venv/ready
	$(BIN)/lint-imports

docs: .venv/ready
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html

tests: .venv/ready
	$(BIN)/pytest --numprocesses 2 --quiet

# Ten times as many random examples, 100,000 texts sent as SQL, and processes killed again and again: a curator
# NOISELESS_KILLS times at each of five places, servers and streams a fifth as often.
soak: export NOISELESS_KILLS ?= 1000
soak: .venv/ready
	$(BIN)/pytest --numprocesses 2 --quiet --hypothesis-profile=soak \
	  $(KILLED) tests/oracle tests/theorems tests/unit

# Side by side with the machine's limits and with peers, which get virtual environments of their own; writes
# docs/benchmarks.md and its plots. `python benchmarks/run.py --small` takes minutes, `--only NAMES` some sections.
bench: .venv/ready
	$(BIN)/python benchmarks/run.py --docs

# The pictures and the notebooks' outputs in the documentation, made anew (needs Chromium).
pictures: .venv/ready
	$(BIN)/python docs/tools/pictures.py
	$(BIN)/python docs/tools/notebooks.py

.venv/ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "noiseless needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[$(EXTRAS)]' --group test --group docs
	touch $@

clean:
	rm -rf .venv demo bench docs/_build docs/reference
