# Two commands: `make coach` trains a first Coach, `make test` checks everything.
#
#   make coach RULES=naija_whot PLAYERS=2 MINUTES=5     (any preset; `whot rules` lists them)
#   make play  RULES=naija_whot PLAYERS=2               against the Coach that was trained so
#   make test | lint | coverage | fuzz | mutations | bench | format | docs | clean
#
# Everything runs in .venv (the benchmarks, whose peers pin what they please, in .venv-bench), made on first use and brought up to date when pyproject.toml or
# constraints.txt change. PYTHON=... chooses the interpreter that makes it.

ifeq ($(OS),Windows_NT)
  BIN := .venv/Scripts
  EXE := .exe
  PYTHON ?= python
else
  BIN := .venv/bin
  EXE :=
  # the first of these that is a supported version
  PYTHON ?= $(shell for p in python3 python python3.13 python3.12 python3.11; do \
      $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)
endif

RULES ?= naija_whot
PLAYERS ?= 2
MINUTES ?= 5
DECISIONS ?= 2000000

PY := "$(BIN)/python$(EXE)"
BENCH_PY := "$(BIN:.venv%=.venv-bench%)/python$(EXE)"
TOUCH = $(PY) -c "import pathlib; pathlib.Path('$@').touch()"

.DEFAULT_GOAL := help
.PHONY: help coach play test lint coverage format fuzz mutations bench docs clean

help:
	@echo "make coach [RULES=naija_whot PLAYERS=2 MINUTES=5]   install, train, evaluate, write the Coach"
	@echo "make play  [RULES=naija_whot PLAYERS=2]             play against that Coach"
	@echo "make test                                           install, lint, types, imports, coverage, tests"
	@echo "make lint | coverage | format | fuzz | mutations | bench | docs | clean"

coach: .venv/installed-coach
	"$(BIN)/whot$(EXE)" train --rules $(RULES) --players $(PLAYERS) --minutes $(MINUTES)

play: .venv/installed-coach
	"$(BIN)/whot$(EXE)" play --coach runs/$(RULES)-$(PLAYERS)/coach.whotcoach

test: lint coverage
	$(PY) -m pytest

lint: .venv/installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pyright
	"$(BIN)/lint-imports$(EXE)"

# The engine as plain Python under the cases, the reference and the compiled engine's bytes; fails below 98 %.
coverage: export NUMBA_DISABLE_JIT := 1
coverage: .venv/installed-dev
	$(PY) -m coverage run -m pytest --quiet --fuzz-decisions 5000 -k 'not full_disk and not enumeration' tests/test_core_cli.py tests/check_plain_engine.py \
		tests/test_core_engine.py::test_the_start_card_when_hardly_a_card_is_left tests/test_differential.py \
		tests/check_plain_search.py tests/test_imagine.py
	$(PY) -m coverage report

format: .venv/installed-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# More random games against the plain-Python reference than `make test` plays: so many decisions, or SECONDS=600.
fuzz: .venv/installed-dev
	$(PY) tests/fuzz.py $(if $(SECONDS),--seconds $(SECONDS),--decisions $(DECISIONS))

# Breaks one rule at a time in a copy of the engine and sees which check notices (tests/mutations.toml).
mutations: .venv/installed-dev
	$(PY) tests/mutations.py

# Measures us and our peers, on an idle machine please; then `make docs`.
bench: PY := $(BENCH_PY)
bench: .venv-bench/installed
	$(PY) benchmarks

docs: .venv/installed-dev
	$(PY) docs/generate.py

.venv-bench/installed: pyproject.toml constraints.txt
	"$(PYTHON)" -m venv .venv-bench
	$(PY) -m pip install --quiet -e ".[bench]" -c constraints.txt
	$(TOUCH)

.venv/created:
	$(if $(strip $(PYTHON)),,$(error whot-env needs Python 3.11, 3.12 or 3.13 on the PATH; name one with PYTHON=...))
	"$(PYTHON)" -m venv .venv
	$(TOUCH)

.venv/installed-coach: .venv/created pyproject.toml constraints.txt
	$(PY) -m pip install --quiet -e ".[train,play,arena]" -c constraints.txt
	$(TOUCH)

.venv/installed-dev: .venv/created pyproject.toml constraints.txt
	$(PY) -m pip install --quiet -e ".[train,play,arena,dev]" -c constraints.txt
	$(TOUCH)

clean:
	"$(PYTHON)" -c "import shutil; [shutil.rmtree(d, ignore_errors=True) for d in ('.venv', '.venv-bench', 'build', 'dist', '.pytest_cache', '.ruff_cache', '.hypothesis')]"
