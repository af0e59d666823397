# `make demo` and `make test` set up all they need, on a machine with only Python and make.
PYTHON ?= python3
VENV ?= .venv
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d%d" % sys.version_info[:2])')
CONSTRAINTS = constraints/py$(VERSION).txt
BIN = $(VENV)/bin
# Each of several targets prints its output in one piece, where this make can do that.
SYNC = $(if $(filter output-sync,$(.FEATURES)),--output-sync)
# Tests start programs by the hundred: without bytecode each compiles our sources again, which is half
# of what the linter takes to start.
unexport PYTHONDONTWRITEBYTECODE
# One worker more than processors, as some tests wait for processes and signals; at most eight. One
# that is done takes tests from the others.
CORES := $(shell nproc 2> /dev/null || echo 2)
WORKERS = -n $(shell echo $$(($(CORES) < 7 ? $(CORES) + 1 : 8))) --dist worksteal
READY = $(VENV)/.ready-$(VERSION)
DOCS = .venv-docs

.PHONY: demo test test-all newest check style types ours pages same fix docs measure facts prices site vsix vscode-test env clean

demo: $(READY)  ## one fault found, run, fixed and run again, in about a minute; kept in demo-out/
	@BIN=$(abspath $(BIN)) OUT=$(abspath demo-out) bash examples/demo.sh

test: $(READY)  ## everything that CI runs
	$(MAKE) --no-print-directory -j $(CORES) $(SYNC) newest check
	$(BIN)/python -m pytest -q $(WORKERS) -m "not slow"

newest: $(READY)  ## the newest Python that is here: what needs it is tested on it
	@bash tests/newest_python.sh $(PYTHON)

check: style types ours pages  ## formatting, lint, types, our own linter on ourselves, stale pages

style: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python

ours: $(READY)
	$(BIN)/gotcha-lint lint sanitizer reference_trainer tests benchmarks docs

pages: $(READY)
	$(BIN)/python docs/generate.py --check

same: $(READY)  ## what appears and disappears in the findings over all programs at hand; minutes
	$(BIN)/python -m benchmarks.same $(SAME)

test-all: test site  ## other Pythons and JAX versions, pre-commit, long runs, the site in a browser
	GOTCHA_EXAMPLES=new $(BIN)/python -m pytest -q -n 2 -m slow
	bash tests/other_pythons.sh

fix: $(READY)  ## what can be put right by machine
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(MAKE) docs

docs: $(READY)  ## the pages of docs/gotchas/
	$(BIN)/python docs/generate.py

measure: $(READY)  ## what the examples of the pages print, where their code has changed; then the pages; NAMES="a b": these alone
	$(BIN)/python docs/capture.py $(NAMES)
	$(MAKE) docs

facts: $(READY)  ## the table of result types of JAX's functions; ten minutes
	PYTHONPATH=.:lint $(BIN)/python -m benchmarks.avals

prices: $(READY)  ## what each gotcha costs on this machine; minutes, best with nothing else running
	$(BIN)/python benchmarks/prices.py
	$(MAKE) docs

site: $(DOCS)/.ready  ## the documentation, in site/
	PYTHONPATH=lint:sanitizer $(DOCS)/bin/python docs/build_site.py

vsix:  ## the extension for Visual Studio Code, in dist/; needs Node.js and npm
	cd editors/vscode && npm install --no-package-lock --no-audit --no-fund && npm run check && npm run build
	$(PYTHON) editors/vscode/vsix.py dist

vscode-test: $(READY)  ## the tests of the extension, against the server
	$(BIN)/python -m pytest -q tests/test_vscode.py

env: $(READY)  ## the development environment alone

$(READY): pyproject.toml $(CONSTRAINTS)
	@echo "Set up once: JAX and the tools, in $(VENV)/. About a minute, from the package index."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c $(CONSTRAINTS) --group dev -e '.[trainer]'
	@touch $@

$(DOCS)/.ready: pyproject.toml constraints/docs.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints/docs.txt --group docs
	@touch $@

clean:
	rm -rf $(VENV) .venv-312 .venv-313 $(DOCS) site .site.yml .cache dist editors/vscode/dist editors/vscode/node_modules .pytest_cache .ruff_cache demo-out
