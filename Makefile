# `make demo` and `make test` set up all they need, on a machine with only Python and make.
PYTHON ?= python3
VENV ?= .venv
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d%d" % sys.version_info[:2])')
CONSTRAINTS = constraints/py$(VERSION).txt
BIN = $(VENV)/bin
READY = $(VENV)/.ready-$(VERSION)

.PHONY: demo test test-all check fix docs env clean

demo: $(READY)  ## both tools on a small flawed example, and the trainer for a few steps
	@BIN=$(abspath $(BIN)) bash examples/demo.sh

test: check  ## everything that CI runs
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

check: $(READY)  ## formatting, lint, types, our own linter on ourselves, stale pages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	$(BIN)/gotcha-lint --preview lint sanitizer reference_trainer tests benchmarks docs
	$(BIN)/python docs/generate.py --check

test-all: test  ## other Pythons and JAX versions, pre-commit, long runs
	$(BIN)/python -m pytest -q -m slow
	bash tests/other_pythons.sh

fix: $(READY)  ## what can be put right by machine
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(MAKE) docs

docs: $(READY)  ## the pages of docs/gotchas/
	$(BIN)/python docs/generate.py

env: $(READY)  ## the development environment alone

$(READY): pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) --group dev -e '.[trainer]'
	@touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .ruff_cache
