# A machine needs python3 (3.11 or newer) with pip, and make. Everything else comes with `make setup`.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Every target that `make help` lists is a name, not a file.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile)
# Thousands of processes start in a run of the tests: without byte code each compiles all it imports.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
REPLAY ?= ../shared/replay/dev.jsonl.gz
CALLS ?= 20000
# Two processors have work for three: a test that waits for a server or a limit leaves its own idle.
JOBS ?= 3
SHARE ?= 100
BUDGET ?= 600
STARTS ?= 50
TORTURE := kill-one kill-five kill-twenty power weak-disk teeth errors intruders contention overlap \
	histories undo model damage sandbox races metadata bytes resources growth notebooks patches place protocol \
	changes shared
.PHONY: torture $(TORTURE:%=torture-%)

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
READY := $(VENV)/.ready
CODE := $(wildcard src tests bench demo packages suite)
INSTALL := $(PYTHON) -m pip --python $(BIN)/python -qq --disable-pip-version-check \
	--retries 10 --timeout 60 install
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	--custom-compile-command "make lock" $(UPGRADE)

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(READY) ## make .venv with everything locked in requirements/
	@:

# What users get: `make demo` needs no more. Its byte code is compiled as it is used.
$(RUNTIME): requirements/runtime.txt requirements/build.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "keyhole needs Python 3.11 or newer as $(PYTHON); name another: make PYTHON=python3.12" >&2; \
		exit 1; }
	@$(PYTHON) -m pip --help 2>/dev/null | grep -q -e --python || { \
		echo "keyhole needs pip 22.3 or newer for $(PYTHON) (Debian: apt-get install python3-pip)" >&2; \
		exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@echo "installing keyhole into $(VENV)"
	@$(INSTALL) --no-deps --no-compile --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# The locks are whole, so pip resolves nothing: it would take a newer release of a package with an extra.
$(READY): requirements/dev.txt $(RUNTIME)
	@echo "installing what the tests need into $(VENV)"
	@$(INSTALL) --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(RUNTIME) ## edit real files in a scratch tree and show receipts, diffs, a refusal
	@$(BIN)/python demo/run.py

picture: setup ## draw the session of the README
	@$(BIN)/python -m demo.picture docs/images/session.svg

pictures: setup ## take the pictures of the review page (needs chromium)
	@$(BIN)/python -m demo.screens docs/images

# axe-core judges; npm fetches it.
axe: setup ## every page of the review by axe-core (npm), light, dark and on a phone
	@mkdir -p $(VENV)/axe && cd $(VENV)/axe && test -f package/axe.min.js || \
		{ npm pack --silent axe-core@4 >/dev/null && tar xzf axe-core-4*.tgz; }
	@$(BIN)/python -m demo.axe $(VENV)/axe/package/axe.min.js

manual: setup ## write docs/cli.md from the command line's help, docs/library.md from docstrings
	@$(BIN)/python -m keyhole.surfaces.cli.help > docs/cli.md
	@$(BIN)/python -m tests.library_page

site: $(VENV)/.site ## build the site of the documentation below build/site, links checked
	@$(BIN)/python -m demo.site build/pages
	@$(BIN)/zensical build --clean --strict

$(VENV)/.site: requirements/site.txt $(RUNTIME)
	@$(INSTALL) --no-deps --require-hashes -r requirements/site.txt
	@touch $@

bake: setup ## ask the protocol's library for the answers that `keyhole mcp` greets with
	@$(BIN)/python -m keyhole.surfaces.cli.mcp

# PUBLISHER is a domain of whoever publishes, in reverse; RELEASES the address that he puts the bundle at.
packages: setup ## make the plugins, catalogues, bundle and server.json for hosts in dist/packages
	@$(BIN)/python -m packages dist/packages $(if $(RELEASES),$(PUBLISHER) $(RELEASES))

first-edit: setup ## from a wheel to the first edit in Claude Code and Codex (npm), by two commands
	@$(BIN)/python -m bench.first_edit $(VENV)/hosts claude-code codex

test: check ## set up, then check, then run every test and hold each room to its coverage
	@PYTHONWARNDEFAULTENCODING=1 $(BIN)/pytest -q -n $(JOBS) --no-loadscope-reorder --cov --cov-report= --durations=25
	@$(BIN)/python -m tests.coverage_gates || { $(BIN)/coverage report; exit 1; }

explore: setup ## draw new examples for every property: make explore BUDGET=600 (seconds)
	@JOBS=$(JOBS) $(BIN)/python -m tests.explore $(BUDGET) $(SEED)

torture: $(TORTURE:%=torture-%) ## kill, cut, race and damage for hours: docs/torture.md

# Each part alone, and one line of what it ran; SHARE is how much of the programme, in per cent.
$(TORTURE:%=torture-%): torture-%: setup
	@KEYHOLE_TORTURE=$(SHARE) $(BIN)/python -m tests.torture $*

reproduce-%: setup # a bug of the museum by its number, before it was mended and after
	@$(BIN)/python -m tests.museum $*

check: setup ## lint, formatting and strict types
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy --strict --no-error-summary $(CODE)

fix: setup ## format, and mend what the linter can mend
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

bench: setup ## measure speed as ratios within one run
	@$(BIN)/python -m bench

# ripgrep (Debian: ripgrep) judges searches.
bench-scale: setup ## trees of 50,000 files, files of 30 MB, a long journal, each with its limit
	@$(BIN)/python -m bench scale

# The same tests as in `make test`, in a page that is built of the hosts' own package.
apps: setup ## the card of an edit in hosts: the protocol's own bridge and inspector (npm), chromium
	@mkdir -p $(VENV)/apps
	@npm install --silent --no-save --prefix $(VENV)/apps @modelcontextprotocol/ext-apps@2.0.4 esbuild@0.28.2
	@NODE_PATH=$(VENV)/apps/node_modules $(VENV)/apps/node_modules/@esbuild/linux-x64/bin/esbuild \
		tests/surfaces/mcp/app/bridge.js --bundle --log-level=error --outfile=$(VENV)/apps/bridge.js
	@{ echo '<!doctype html><meta charset="utf-8"><title>host</title><body><script>'; \
		sed 's#</script#<\\/script#g' $(VENV)/apps/bridge.js; echo '</script></body>'; } > $(VENV)/apps/host.html
	@KEYHOLE_HOST_PAGE=$(abspath $(VENV)/apps/host.html) $(BIN)/pytest -q -p no:cacheprovider \
		tests/surfaces/mcp/app/test_document.py

bench-changes: setup ## what observing others costs, in a tree of FILES=50000
	@$(BIN)/python -m bench.changes $(or $(FILES),50000)

bench-review: setup ## the review over 100,000 transactions and 2,000 hunks, and in chromium
	@$(BIN)/python -m bench review review_paint

# FILESYSTEM_SERVER names the program to compare with; npx fetches it if it is not given.
bench-mcp: setup ## the server against the official filesystem server, by one real client
	@$(BIN)/python -m bench.mcp_bench $(FILESYSTEM_SERVER)

bench-start: setup ## what a start of the server costs, idle and on a busy machine
	@$(BIN)/python -m bench.mcp_start $(FILESYSTEM_SERVER)

# STARTS is how often each host is started, HOSTS which ones: names of `keyhole install`;
# TOGETHER=1 starts them beside each other.
bench-presence: setup ## in how many first requests of real hosts (npm) the tools are, when busy
	@$(BIN)/python -m tests.laboratory.presence $(STARTS) $(VENV)/hosts $(HOSTS) $(if $(TOGETHER),--together)

house: setup ## print how large the code is, and how much of it one call touches
	@$(BIN)/python -m tests.figures

sizes: setup ## what answers and tools cost to read, beside the filesystem server (npm)
	@$(BIN)/python -m bench.mcp_sizes $(VENV)/servers $(OTHERS)

# Wheels of packages as pip loads them, sources as npm does, language servers as the tests lock
# them: SHARE is how many of the sweeps, kills and renames, in per cent. ripgrep judges the preview,
# gopls and clangd with their compilers the sources in Go, C and C++ (apt: golang-go gopls clangd g++).
SWEPT ?= requests flask click rich httpx attrs jinja2 werkzeug pygments networkx packaging
RENAMED ?= rxjs@7 ajv@8 zod@3 redux@5 preact@10 commander@14
COMPILED ?= tree-sitter@0.21 leveldown@6
sweeps: setup ## sweeps and renames in real packages (PyPI, npm) beside their judges, kills, ratios
	@$(BIN)/pip download --quiet --no-deps --dest $(VENV)/sweeps $(SWEPT)
	@$(BIN)/python -m bench.sweeps $(VENV)/sweeps $(SHARE)
	@mkdir -p $(VENV)/renames/servers
	@cd $(VENV)/renames && npm pack --silent $(RENAMED) >/dev/null
	@cp tests/linters/npm/package*.json $(VENV)/renames/servers
	@npm ci --silent --ignore-scripts --no-audit --no-fund --prefix $(VENV)/renames/servers
	@$(BIN)/python -m bench.renames $(VENV)/sweeps $(VENV)/renames \
		$(VENV)/renames/servers/node_modules/.bin $(SHARE)
	@mkdir -p $(VENV)/compiled
	@cd $(VENV)/compiled && npm pack --silent $(COMPILED) >/dev/null
	@$(BIN)/python -m bench.compiled $(VENV)/compiled $(SHARE)
	@$(BIN)/python -m bench sweep_scale

conformance: setup ## the protocol's conformance suite and inspector (npm) against the server
	@$(BIN)/python -m bench.conformance $(VENV)/node

# HOSTS names some of them; WRITE=1 writes what their models saw, and the table of docs/hosts.md.
hosts: setup ## every scenario in every agent host that npm has, against a scripted model
	@$(BIN)/python -m tests.laboratory $(VENV)/hosts $(HOSTS) $(if $(WRITE),--write)

bench-shared: setup ## a hundred agents, a shared journal or none; a server 0, 2 and 10 ms away
	@$(BIN)/python -m bench.shared
	@$(BIN)/python -m bench.distance

corpus: setup ## look up every definition of the standard library, replace each by itself
	@$(BIN)/python -m bench.corpus
	@$(BIN)/python -m bench.roundtrip

validation: setup ## plant breakages and sound edits in many languages, and count
	@$(BIN)/python -m bench.validation

replay: setup ## run recorded edits through the engine: make replay REPLAY=FILE
	@$(BIN)/python -m bench.replay $(REPLAY)

# CALLS is how many; the recording is the one of `make replay`.
calls: setup ## send recorded calls in the shapes models send them, over MCP and `keyhole call`
	@$(BIN)/python -m tests.calls $(CALLS) $(REPLAY)

# ENGINES names the engines that run anew; all of them if it is not given. See suite/README.md.
compare: setup ## judge keyhole and its rivals (npm, PyPI) by the suite, write docs/comparison.md
	@PYTHONPATH=suite/src $(BIN)/python -m bench.compare $(VENV)/rivals $(ENGINES)

judge-%: setup # one engine of `make compare` by its name: every figure of it, printed
	@PYTHONPATH=suite/src $(BIN)/python -m bench.compare $(VENV)/rivals --alone $*

lock: setup ## lock what pyproject.toml asks for (make lock UPGRADE=--upgrade: the newest)
	@$(INSTALL) uv
	@$(COMPILE) pyproject.toml --output-file requirements/runtime.txt
	@$(COMPILE) --constraint requirements/runtime.txt --group build \
		--output-file requirements/build.txt
	@$(COMPILE) --constraint requirements/runtime.txt --group site \
		--output-file requirements/site.txt
	@$(COMPILE) --constraint requirements/runtime.txt --group dev pyproject.toml \
		--output-file requirements/dev.txt

clean: ## remove everything that the other targets made
	@rm -rf $(VENV) build dist htmlcov .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests bench demo packages suite -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
