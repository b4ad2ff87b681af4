# Two commands: `make coach` trains a first Coach, `make test` checks everything.
#
#   make coach RULES=naija_whot PLAYERS=2 MINUTES=5     (any preset; `whot rules` lists them)
#   make play  RULES=naija_whot PLAYERS=2               against the Coach that was trained so
#   make test | lint | fuzz | format | docs | clean
#
# Everything runs in .venv, made on first use and brought up to date when pyproject.toml or
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
TOUCH = $(PY) -c "import pathlib; pathlib.Path('$@').touch()"

.DEFAULT_GOAL := help
.PHONY: help coach play test lint format fuzz docs clean

help:
	@echo "make coach [RULES=naija_whot PLAYERS=2 MINUTES=5]   install, train, evaluate, write the Coach"
	@echo "make play  [RULES=naija_whot PLAYERS=2]             play against that Coach"
	@echo "make test                                           install, lint, types, imports, tests"
	@echo "make lint | format | fuzz | docs | clean"

coach: .venv/installed-coach
	"$(BIN)/whot$(EXE)" train --rules $(RULES) --players $(PLAYERS) --minutes $(MINUTES)

play: .venv/installed-coach
	"$(BIN)/whot$(EXE)" play --coach runs/$(RULES)-$(PLAYERS)/coach.whotcoach

test: lint
	$(PY) -m pytest

lint: .venv/installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pyright
	"$(BIN)/lint-imports$(EXE)"

format: .venv/installed-dev
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# More random games against the plain-Python reference than `make test` plays: so many decisions, or SECONDS=600.
fuzz: .venv/installed-dev
	$(PY) tests/fuzz.py $(if $(SECONDS),--seconds $(SECONDS),--decisions $(DECISIONS))

docs: .venv/installed-dev
	$(PY) docs/generate.py

.venv/created:
	$(if $(strip $(PYTHON)),,$(error whot-env needs Python 3.11, 3.12 or 3.13 on the PATH; name one with PYTHON=...))
	"$(PYTHON)" -m venv .venv
	$(TOUCH)

.venv/installed-coach: .venv/created pyproject.toml constraints.txt
	$(PY) -m pip install --quiet -e ".[train,play]" -c constraints.txt
	$(TOUCH)

.venv/installed-dev: .venv/created pyproject.toml constraints.txt
	$(PY) -m pip install --quiet -e ".[train,play,dev]" -c constraints.txt
	$(TOUCH)

clean:
	"$(PYTHON)" -c "import shutil; [shutil.rmtree(d, ignore_errors=True) for d in ('.venv', 'build', 'dist', '.pytest_cache', '.ruff_cache', '.hypothesis')]"
