# On a fresh machine with Python 3.11 or later: `make demo` or `make test`. Everything goes into .venv/.
PYTHON ?= python3
BIN := .venv/bin
# Spark is large, and of no use without Java.
EXTRAS := server$(shell command -v java >/dev/null && echo ,spark)
# Tests start hundreds of processes: modules are compiled once, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
# They kill processes again and again.
KILLED := $(addprefix tests/surfaces/test_,server_processes.py server_workers.py curator_killed.py stream_killed.py ledger_processes.py)

# Quick, and of the rooms that all others stand on: what a change breaks mostly shows here first.
QUICK := tests/theorems $(addprefix tests/unit/,audits domain measures pricing questions ranges releases rules tables verification test_*.py)

.PHONY: demo test check quick lint types contracts docs tests coverage soak bench pictures outputs clean

demo: .venv/installed
	$(BIN)/noiseless demo --out demo

# All at once: while a test waits for a process or a disk, something else is checked.
test: .venv/ready
	$(MAKE) --jobs --output-sync=line lint types contracts docs tests

# The loop of a contributor, within 90 seconds: style, types, contracts, and the tests that need no process, database,
# browser or cluster of their own.
check: .venv/ready
	$(MAKE) --jobs --output-sync=line lint types contracts quick

quick: .venv/ready
	$(BIN)/pytest --numprocesses 2 --quiet --hypothesis-profile=check --ignore-glob='*spark*' --ignore-glob='*postgres*' $(QUICK)

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/ready
	$(BIN)/mypy

contracts: .venv/ready
	$(BIN)/lint-imports

docs: .venv/ready
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html

# Three processes keep two cores busy: tests wait for servers, browsers and disks.
tests: .venv/ready
	$(BIN)/pytest --numprocesses 3 --quiet

# Which lines the tests reach, with a floor under it (compiled kernels count as reached where they are called).
coverage: .venv/ready
	$(BIN)/pytest --numprocesses 2 --quiet -p pytest_cov --cov --cov-report=term:skip-covered --cov-report=html

# Twenty times as many random examples, 100,000 texts sent as SQL, and processes killed again and again: a curator
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

# What the documentation shows of commands, written anew from real runs; look at the difference before you keep it.
outputs: .venv/ready
	$(BIN)/python docs/tools/outputs.py

# What a user needs; `make test` adds the extras, the tools and the documentation. Pip compiles the modules of what
# it installs, but not those of an editable package, and the first command would have to.
.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "noiseless needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[curator]'
	$(BIN)/python -m compileall -q src
	touch $@

.venv/ready: .venv/installed
	$(BIN)/pip install --quiet --editable '.[$(EXTRAS)]' --group test --group docs
	# dbt wants other versions of what our tools use; without it the tests of its macro are skipped. From 1.12 on it fetches a program.
	-$(PYTHON) -m venv .venv/dbt && .venv/dbt/bin/pip install --quiet 'dbt-core<1.12' dbt-duckdb
	touch $@

clean:
	rm -rf .venv demo bench docs/_build docs/reference
