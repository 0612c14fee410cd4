.DEFAULT_GOAL := help
PORT ?= 8000
VENV := .venv
STAMP := $(VENV)/.installed
NODE := tests/sdk/node_modules/.installed
CLIENT := packages/client/node_modules/.installed
WEB := web/node_modules/.installed
PAGE := src/adk_stream_protocol/demo/page/index.html
SOURCES := $(shell find web/src packages/client/src -type f -not -name '*.test.*' 2>/dev/null)
LOCK := ../$(VENV)/bin/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes --no-build-isolation \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
ROOMS := $(addprefix tests/, protocol convert approvals telemetry workers adk chats transports cli \
	recording testing demo) $(wildcard tests/test_*.py)
MEASURED := $(ROOMS) tests/live $(addprefix tests/races/test_, chains.py sessions.py stop.py)
PACKAGE := src/adk_stream_protocol
CORE_TESTS := tests/protocol tests/convert $(addprefix tests/approvals/test_, presentation.py record.py record_machine.py \
	visible_text.py)
CORE := $(PACKAGE)/protocol/*,$(PACKAGE)/convert/*,$(PACKAGE)/approvals/record.py,$(PACKAGE)/approvals/presentation.py,$(PACKAGE)/approvals/visible_text.py

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

$(STAMP): requirements/dev.txt pyproject.toml
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --require-hashes -r requirements/dev.txt
	$(VENV)/bin/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

%/node_modules/.installed: %/package-lock.json
	npm --prefix $* ci --loglevel=error --no-audit --no-fund
	touch $@

$(PAGE): $(WEB) $(SOURCES) web/index.html web/vite.config.ts
	npm --prefix web run build --silent
	touch $@

demo: $(STAMP) $(PAGE) ## serve the demo on 127.0.0.1:$PORT
	$(VENV)/bin/adk-stream demo --port $(PORT)

test: check $(PAGE) ## everything needed, then all tests
	scripts/install-postgres
	scripts/install-redis
	scripts/install-chromium
	$(VENV)/bin/coverage erase
	$(VENV)/bin/coverage run -m pytest -q $(CORE_TESTS)
	$(VENV)/bin/coverage combine --quiet
	$(VENV)/bin/coverage report --skip-covered --include='$(CORE)' --fail-under=100
	$(VENV)/bin/pytest -q -n 2 --dist worksteal $(CORE_TESTS:%=--ignore=%)
	npm --prefix packages/client test --silent
	npm --prefix packages/client run test:live --silent
	npm --prefix web run e2e --silent

unit: $(STAMP) $(CLIENT) ## the tests that start no process, in under a minute
	$(VENV)/bin/pytest -q -n 2 -m "not processes" $(ROOMS)
	npm --prefix packages/client test --silent

coverage: $(STAMP) ## the branches that the tests of the rooms and of live chats take, 95 % at least
	scripts/install-postgres
	scripts/install-redis
	$(VENV)/bin/coverage erase
	$(VENV)/bin/coverage run -m pytest -q -n 2 --dist worksteal $(MEASURED)
	$(VENV)/bin/coverage combine --quiet
	$(VENV)/bin/coverage report --skip-covered --fail-under=95

hostile: $(STAMP) ## ten times the hostile messages, races, crashes and forgeries of make test
	scripts/install-postgres
	scripts/install-redis
	ADK_STREAM_HOSTILE=200000 ADK_STREAM_SEED=$(shell date +%j) ADK_STREAM_TIMES=10 \
		$(VENV)/bin/pytest -q -n 2 --dist worksteal tests/hostile tests/races tests/crash

audit: ## ask the registries for known faults of what is pinned
	scripts/audit

sbom: $(CLIENT) $(WEB) ## write what the packages are made of, as CycloneDX files in dist/
	scripts/sbom

check: $(STAMP) $(NODE) $(CLIENT) $(WEB) ## format, lint and types
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	tests/sdk/node_modules/.bin/pyright
	npm --prefix packages/client run check --silent
	npm --prefix web run check --silent

fix: $(STAMP) ## format and repair what can be repaired
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

.venv-bench/.installed: requirements/bench.txt
	python3 -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --require-hashes -r requirements/bench.txt
	.venv-bench/bin/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

bench: .venv-bench/.installed ## measure against the floor and the peers, as ratios
	scripts/install-redis
	.venv-bench/bin/python -W ignore -m bench

lock: $(STAMP) ## pin the requirements again
	cd requirements && $(LOCK) --all-extras --output-file dev.txt ../pyproject.toml dev.in
	cd requirements && $(LOCK) --extra demo --extra redis --output-file bench.txt ../pyproject.toml bench.in

compat: ## try the Pythons that are here, and the oldest and newest google-adk
	scripts/install-postgres
	scripts/install-redis
	nice scripts/compat

.PHONY: help demo unit test check fix bench lock compat coverage hostile audit sbom
