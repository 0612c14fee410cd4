.DEFAULT_GOAL := help
PORT ?= 8000
VENV := .venv
STAMP := $(VENV)/.installed
NODE := tests/sdk/node_modules/.installed
CORE := tests/protocol tests/convert $(addprefix tests/approvals/test_, \
	presentation.py record.py record_machine.py visible_text.py)

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(STAMP): requirements/dev.txt pyproject.toml
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --require-hashes -r requirements/dev.txt
	$(VENV)/bin/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

$(NODE): tests/sdk/package-lock.json
	npm --prefix tests/sdk ci --loglevel=error --no-audit --no-fund
	touch $@

demo: $(STAMP) ## serve the demo on 127.0.0.1:$PORT
	$(VENV)/bin/adk-stream demo --port $(PORT)

test: check ## everything needed, then all tests
	scripts/install-postgres
	$(VENV)/bin/coverage run -m pytest -q $(CORE)
	$(VENV)/bin/coverage report --skip-covered
	$(VENV)/bin/pytest -q $(CORE:%=--ignore=%)

check: $(STAMP) $(NODE) ## format, lint and types
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	tests/sdk/node_modules/.bin/pyright

fix: $(STAMP) ## format and repair what can be repaired
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

.venv-bench/.installed: requirements/bench.txt
	python3 -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --require-hashes -r requirements/bench.txt
	.venv-bench/bin/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

bench: .venv-bench/.installed ## measure against the floor and the peers, as ratios
	.venv-bench/bin/python -W ignore -m bench

lock: $(STAMP) ## pin the requirements again
	cd requirements && ../$(VENV)/bin/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file dev.txt dev.in
	cd requirements && ../$(VENV)/bin/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file bench.txt bench.in

.PHONY: help demo test check fix bench lock
