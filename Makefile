# Each target sets up what it needs in .venv, once; a second run installs nothing.
#   PYTHON=python3.12 make test     choose the interpreter (3.11 or newer)
#   make test ARGS='-k judge -x'    pass options to pytest (tests run on all cores; ARGS='-n 0': in one process)

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_FRAMEWORKS := $(VENV)/.ready-frameworks

# The scenario and the sentence that `make demo` changes.
DEMO := refund-4021-damaged
DEMO_OLD := Call no other function unless the customer asks for it.
DEMO_NEW := Call any other function that may help.

# The run that `make demo` judges, and where it leaves the pages it makes.
RUN := recordings/retail-qwen2-5-coder-1-5b
SHOWN := $(VENV)/demo

# The suite that `make eval-fc` runs.
SUITE := scenarios/retail

.DEFAULT_GOAL := help
.PHONY: help demo drift test test-frameworks coverage check bench bench-wire bench-drift record eval-fc docs verify clean interpreter

help:
	@echo 'make demo      replay and judge committed fixtures and a run of a suite offline, then see a changed prompt being caught'
	@echo 'make test      run the whole test suite        (make coverage: the same, with a table of what ran)'
	@echo 'make test-frameworks   the pages on agents of other frameworks, run; fetches pydantic-ai and the OpenAI Agents SDK'
	@echo 'make check     format, lint, types, import contracts'
	@echo 'make bench     measure what the README promises'
	@echo 'make bench-agreement   our bfcl rules against the public checker of that name; fetches its package'
	@echo 'make bench-judges      the speed of this judge beside that of other judges; fetches them into a directory of its own'
	@echo 'make bench-wire   real traffic through importers, dialects and SDKs: read, derived, replayed, equal'
	@echo 'make bench-drift  141 small edits of an agent, each to be caught: here and under four other recorders (installs them, for that run)'
	@echo 'make record BASE_URL=http://127.0.0.1:PORT     record every scenario that has a fixture again'
	@echo 'make eval-fc EVAL_MODE=1 [CASE=ID]     run, check, judge and report $(SUITE) (SUITE=DIR) against a live model: the'
	@echo '               one that its suite.toml names, or EVAL_PROVIDER and EVAL_MODEL; see the end of docs/domains.md'
	@echo 'make docs      write anew what docs/ and harness/schemas/ take from the code'
	@echo 'make verify    check all committed evidence again: offline, without a network at all, installing nothing'
	@echo 'make clean     remove .venv and what tools left behind'

demo: $(READY)
	@echo '--- replay: the agent loop runs again on recorded answers; no key, no network'
	@$(BIN)/fc-replay fixtures
	@echo
	@echo '--- judge: the assertions of each fixture, on what the agent did'
	@$(BIN)/fc-judge fixtures
	@echo
	@echo '--- a suite: $(RUN), 72 cases asked of a small local model, judged offline by their golden calls'
	@mkdir -p $(SHOWN)
	@$(BIN)/fc-judge $(RUN) --no-gate --html $(SHOWN)/report.html > $(SHOWN)/report.txt
	@sed -n '1,/^What fails/p' $(SHOWN)/report.txt | sed '$$d'
	@echo 'every failure, golden against actual: $(SHOWN)/report.html, to be opened in a browser'
	@echo
	@echo '--- the evidence: reviews, consistency and baseline of three such runs, checked again'
	@$(MAKE) --no-print-directory -s verify
	@echo
	@$(MAKE) --no-print-directory -s drift
	@echo
	@echo 'Done: fixtures and a run replayed and judged offline, evidence checked, a changed prompt caught. Next: make test'

# A copy of one scenario and its fixture with one sentence changed: replay must call it stale (exit 3).
drift: $(READY)
	@echo '--- drift: one sentence of $(DEMO)/system.txt changes, in a copy'
	@echo '    before: $(DEMO_OLD)'
	@echo '    after:  $(DEMO_NEW)'
	@bin="$$PWD/$(BIN)" && copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && \
	mkdir "$$copy/scenarios" "$$copy/fixtures" "$$copy/recordings" && cp -R "scenarios/$(DEMO)" "$$copy/scenarios/" && \
	for kind in fixtures recordings; do cp "$$kind/$(DEMO).jsonl" "$$copy/$$kind/"; done && \
	sed 's/$(DEMO_OLD)/$(DEMO_NEW)/' "scenarios/$(DEMO)/system.txt" >"$$copy/scenarios/$(DEMO)/system.txt" && \
	if cmp -s "scenarios/$(DEMO)/system.txt" "$$copy/scenarios/$(DEMO)/system.txt"; then \
		echo 'make drift: scenarios/$(DEMO)/system.txt has no sentence "$(DEMO_OLD)"' >&2; exit 1; \
	fi && \
	cd "$$copy" && code=0 && { "$$bin/fc-replay" fixtures || code=$$?; } && \
	if [ "$$code" -ne 3 ]; then \
		echo "make drift: the changed prompt was not called stale: exit $$code, expected 3" >&2; exit 1; \
	fi && \
	echo '    exit 3: stale, as it should be'

test: $(READY_DEV)
	@$(BIN)/python -m pytest --numprocesses=auto $(ARGS)

test-frameworks: $(READY_FRAMEWORKS)
	@$(BIN)/python -m pytest tests/frameworks $(ARGS)

coverage: $(READY_DEV)
	@$(BIN)/coverage run -m pytest $(ARGS) && $(BIN)/coverage report

check: $(READY_DEV)
	@code=0; for tool in 'ruff format --check' 'ruff check' mypy 'lint-imports --no-logo'; do \
		echo "--- $$tool" && $(BIN)/$$tool || code=1; \
	done; exit $$code

bench: $(READY_DEV)
	@for script in benchmarks/*.py; do \
		[ -e "$$script" ] || { echo 'make bench: no benchmarks/*.py here' >&2; exit 2; }; \
		echo "--- $$script" && $(BIN)/python "$$script" || exit; \
	done

bench-wire: $(READY_DEV)
	@$(BIN)/python benchmarks/wire.py && echo && $(BIN)/python benchmarks/importing.py

bench-drift: $(READY_DEV)
	@$(BIN)/python benchmarks/drift.py --others

bench-agreement: $(READY_DEV)
	@$(BIN)/python benchmarks/agreement.py

bench-judges: $(READY_DEV)
	@$(BIN)/python benchmarks/side_by_side.py

record: $(READY)
	@[ -n '$(BASE_URL)' ] || { echo 'make record: say where the model is: make record BASE_URL=http://127.0.0.1:PORT' >&2; exit 2; }
	@for scenario in scenarios/*/; do \
		id=$$(basename "$$scenario"); \
		[ -e "fixtures/$$id.jsonl" ] || continue; \
		echo "--- $$id" && $(BIN)/fc-record "scenarios/$$id" --base-url '$(BASE_URL)' || exit; \
	done

# Exit 0 whatever the score; the last lines are raw_run=PATH, report_path=PATH and eval_fc=passed.
eval-fc: $(READY)
	@$(BIN)/python -m harness.cli.suites.eval_fc $(SUITE) $(CASE)

docs: $(READY)
	@$(BIN)/python docs/write.py

# What is installed is used as it is: .venv where there is one, else $(PYTHON) or python3. The network is taken away
# where this machine lets a user do so; elsewhere that is said, and nothing here reaches for it anyhow.
verify:
	@python=$(BIN)/python; [ -x "$$python" ] || python='$(or $(PYTHON),python3)'; \
	set --; \
	if unshare --net true 2>/dev/null; then set -- unshare --net; \
	elif unshare --map-root-user --net true 2>/dev/null; then set -- unshare --map-root-user --net; \
	else echo 'make verify: this machine makes no empty network namespace; going on without one' >&2; fi; \
	exec "$$@" "$$python" -m harness.cli.evidence.verify

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find benchmarks harness scenarios tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- set-up

# A comma would end WHAT.
comma := ,

# $(call install,WHAT): uv where it is, else pip; both compile, since some images forbid Python to keep bytecode.
define install
	@echo 'Setting up $(VENV) ...' >&2
	@if command -v uv >/dev/null 2>&1 && \
		uv pip install --quiet --compile-bytecode --python $(BIN)/python --editable '$(1)'; then :; \
	else \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '$(1)'; \
	fi
endef

$(READY): pyproject.toml | interpreter
	$(call install,.)
	@touch $@

$(READY_DEV): pyproject.toml | interpreter
	$(call install,.[dev])
	@touch $(READY) $@

$(READY_FRAMEWORKS): pyproject.toml | interpreter
	$(call install,.[dev$(comma)frameworks])
	@touch $(READY) $(READY_DEV) $@

# A .venv made with another version than the one now asked for is not changed behind the user's back.
interpreter: | $(BIN)/python
ifdef PYTHON
	@version='import platform; print(platform.python_version())'; \
	held=$$($(BIN)/python -c "$$version"); asked=$$("$(PYTHON)" -c "$$version" 2>/dev/null || echo 'not found'); \
	[ "$$asked" = "$$held" ] || { \
		echo "make: $(VENV) holds Python $$held, but $(PYTHON) is $$asked; to change it: make clean first" >&2; \
		exit 2; \
	}
endif

# $(PYTHON) if it is said, else the first of these that is new enough.
$(BIN)/python:
	@for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			"$$python" -m venv --clear $(VENV) && exit 0; \
			echo "make: $$python could not make $(VENV); on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; \
		fi; \
		tried="$$tried $$python ($$("$$python" --version 2>/dev/null || echo absent))"; \
	done; \
	echo 'make: Python 3.11 or newer is needed. Tried:'"$$tried" >&2; \
	echo 'make: install one, or name it: make PYTHON=/path/to/python3.12 ...' >&2; \
	exit 2
