# Everything a machine needs, and everything we check. `make help` lists the targets.

SHELL := /bin/bash
CACHE := $(or $(SCOPS_CACHE_DIR),$(HOME)/.cache/scops)
UV_VERSION := 0.13.9
UV := $(CACHE)/uv/bin/uv
PYTHON := .venv/bin/python
PYTEST := $(PYTHON) -m pytest
SYSTEM_PACKAGES := ca-certificates python3-venv postgresql-15 postgresql-doc-15 prometheus strace libfaketime iptables chromium firefox-esr tesseract-ocr tesseract-ocr-deu
KUBE_PACKAGES := containerd containernetworking-plugins runc etcd-server iptables podman netavark buildah debootstrap
COMPOSE_PACKAGES := podman buildah runc debootstrap netavark aardvark-dns
FAULT_PACKAGES := squid
# A file of each server, its restarts included.
ON_CONTAINERS := tests/connected/bus/test_nats_users.py tests/connected/postgres/test_server_faults.py \
	tests/connected/weaviate/test_weaviate_faults.py
# Two processes; who is through takes of what the other has still before it.
IN_TWO := -n 2 --dist worksteal
SEEDS ?= 400
SBOM ?= dist/scops.cdx.json
DATA ?= ../shared/data
export SCOPS_CACHE_DIR := $(CACHE)
# Tests start hundreds of processes: each would compile Scops anew where bytecode is not kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-system setup-env setup-servers setup-issuer setup-clients setup-players clients clients-test extension screenshots setup-kube setup-kube-apiserver setup-compose setup-bench models gguf demo test lint types unit \
	simulation contract connected e2e faults faults-quick kube compose bench proto sbom docs clean

help: ## Lists the targets.
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s $$'\t'

setup: setup-system setup-env ## Installs what a machine needs: system packages, .venv, model.

setup-system: ## Installs Debian packages by name (with sudo where not root).
	@bash tools/setup_system.sh $(SYSTEM_PACKAGES)

setup-env: $(UV) ## Makes .venv from the committed lock and builds the embedding models.
	@test -x .venv/bin/python || $(UV) venv --quiet .venv
	@$(UV) sync --quiet --frozen --all-groups --inexact --compile-bytecode
	@$(PYTHON) -m scops.libraries.embedder.weights

$(UV):
	@echo "installing uv $(UV_VERSION) into $(CACHE)/uv"
	@python3 -m venv $(CACHE)/uv
	@$(CACHE)/uv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: \
		--require-hashes --requirement tools/uv.txt

setup-servers: setup-kube-apiserver setup-issuer setup-clients setup-players ## Builds the servers that tests start, where no container engine answers.
	@bash tools/setup_weaviate.sh
	@bash tools/setup_grpcurl.sh

setup-issuer: setup-env ## Installs the issuer of tokens that tests sign in at.
	@bash tools/setup_node.sh oidc_provider

setup-clients: setup-env ## Installs what clients/ is built by, and the JavaScript clients of others that tests run.
	@bash tools/setup_node.sh javascript_clients
	@bash tools/setup_workspace.sh

setup-players: setup-env ## Installs the players of web archives that tests open exports with: pywb, ReplayWeb.page.
	@bash tools/setup_players.sh

setup-kube-apiserver: ## Builds the API server of Kubernetes that manifests are applied to; four minutes once.
	@bash tools/setup_system.sh etcd-server
	@bash tools/setup_kube.sh kube-apiserver
	@bash tools/setup_kube_crds.sh

setup-kube: setup-kube-apiserver ## Installs and builds what a cluster is made of, for `make kube`.
	@bash tools/setup_system.sh $(KUBE_PACKAGES)
	@bash tools/setup_kube.sh

setup-compose: ## Installs podman and builds Docker Compose, for `make compose` where no container engine is.
	@bash tools/setup_system.sh $(COMPOSE_PACKAGES)
	@bash tools/setup_compose.sh

models: $(UV) ## Compiles llama.cpp's server and takes a small GGUF model into the cache (optional).
	@bash tools/setup_models.sh

setup-bench: setup ## Makes the torch reference environment that benchmarks compare with.
	@bash benchmarks/reference/setup_torch.sh

demo: setup ## Crawls a site, asks, edits a page, recrawls, shows what changed. URL=https://… for yours.
	@$(PYTHON) -m examples.demo $(if $(URL),--url '$(URL)')

test: setup setup-servers ## Runs the whole suite, real servers included.
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint types clients-test
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory simulation
	@$(MAKE) --no-print-directory contract
	@$(MAKE) --no-print-directory connected
	@$(MAKE) --no-print-directory e2e
	@if unshare --mount true 2>/dev/null; then $(MAKE) --no-print-directory faults-quick; \
	else echo "LEFT OUT: make faults-quick (a full disk) needs the right to mount a file system"; fi

lint: ## Checks style, imports, dependencies, protos.
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-cache
	.venv/bin/deptry services libraries gateway clients/python
	$(PYTHON) proto/check.py

types: ## Checks types.
	.venv/bin/mypy

clients: setup-clients ## Generates, checks, tests and builds clients/; what is generated and the built page are committed.
	@$(PYTHON) proto/typescript.py
	@$(MAKE) --no-print-directory clients-test
	@bash tools/npm.sh run --silent build

screenshots: setup setup-clients ## Takes docs/images/*.webp of the web page and the extension, from a running gateway.
	@bash tools/npm.sh run --silent types
	@bash tools/npm.sh run --silent build:extension
	@$(PYTHON) -m tools.screenshots

extension: setup-clients ## Writes the browser extension as zips into dist/, for Chromium and Firefox.
	@bash tools/npm.sh run --silent types
	@bash tools/npm.sh run --silent zip:extension
	@mkdir -p dist && cp clients/extension/.output/scops-extension-*.zip dist/ && ls dist/scops-extension-*.zip

clients-test: ## Checks and tests the sources of clients/ for browsers.
	@bash tools/npm.sh run --silent types
	@bash tools/npm.sh run --silent check
	@bash tools/npm.sh test --silent

unit: ## Runs the unit tests.
	$(PYTEST) tests/unit tests/docs tests/deploy $(IN_TWO)

simulation: ## Runs the seeded world; SEEDS=1000 for more of them.
	$(PYTEST) tests/simulation $(IN_TWO) --seeds $(SEEDS) --timeout 1200

contract: ## Runs each port's suite against every adapter, and asks what it asked of larger tables.
	@folder=$$(mktemp -d) && trap "rm -rf $$folder" EXIT && set -x && \
	STATEMENTS_FOLDER=$$folder $(PYTEST) -p benchmarks.statements.capture tests/contract $(IN_TWO) && \
	$(PYTHON) -m benchmarks.statements --statements $$folder --sizes 2000 20000 --strict --json

connected: ## Runs the tests that need real servers.
	$(PYTEST) tests/connected -n 3 --dist loadfile

e2e: ## Runs the whole system on real pages, and its wheel in empty environments.
	$(PYTEST) tests/e2e tests/install -m "not alone" -n 3 --dist loadfile --no-loadscope-reorder --timeout 600
	$(PYTEST) tests/e2e -m alone -n 0 --timeout 600

faults: setup-system setup-servers ## Runs the tests that break servers, disks and networks; needs the right to mount.
	@bash tools/setup_system.sh $(FAULT_PACKAGES)
	$(PYTEST) tests/faults --timeout 900

faults-quick: ## Runs the part of `faults` that `make test` has: a full disk.
	$(PYTEST) tests/faults/test_full_disk.py

gguf: setup models ## Asks a real small model end to end (optional).
	$(PYTEST) tests/gguf --timeout 600

kube: setup setup-servers setup-kube ## Checks what is deployed, then brings it up and operates it on a real cluster.
	@bash tests/kube/images/build.sh
	$(PYTEST) tests/deploy tests/image -n 2 --dist loadfile --timeout 1800
	$(PYTEST) tests/kube --timeout 3600 -s

compose: setup setup-servers setup-compose ## Brings the compose file up, and runs tests of servers with containers.
	@bash tests/kube/images/stores.sh
	@bash tests/compose/engine.sh $(PYTEST) tests/compose --timeout 1800
	@TEST_SERVERS=containers bash tests/compose/engine.sh $(PYTEST) $(ON_CONTAINERS) --timeout 600

bench: setup-bench setup-servers ## Runs every benchmark, for hours; DATA=../shared/data. Results go to docs/benchmarks.md by hand.
	@for name in embed pipeline footprint query load crawl gateway import_warc browser expansion statements relay; do \
		echo "== benchmarks.$$name"; $(PYTHON) -m benchmarks.$$name --json || exit 1; done
	@for run in change:changes extraction:extraction freshness:change-logs stale_answers:change-logs \
		conformance:conformance retrieval:retrieval/cranfield retrieval:retrieval/msmarco-dl19 \
		multihop:retrieval/msmarco-dl19 temporal:temporal/timeqa-train stale:changes/docs-md \
		replay:sites/ota-snapshots languages:qa reader:qa/squad2 reader:qa/hotpotqa-100 scholar:qa keyphrases:keyphrases answers:; do \
		name=$${run%%:*}; echo "== benchmarks.$$run"; \
		$(PYTHON) -m benchmarks.$$name --data $(DATA)/$${run#*:} --json || exit 1; done

proto: ## Regenerates code and messages from the protos.
	$(PYTHON) proto/generate.py

sbom: $(UV) ## Writes what a release is made of as CycloneDX. SBOM=file names it.
	@mkdir -p $(dir $(SBOM))
	@$(UV) export --quiet --frozen --no-dev --preview-features sbom-export \
		--format cyclonedx1.5 --output-file $(SBOM)
	@echo "wrote $(SBOM)"

golden: ## Adds the bytes of messages that changed to tests/golden; never changes old ones.
	$(PYTHON) tools/golden.py

docs: ## Regenerates docs/reference, the dashboard and the alerts as a PrometheusRule.
	$(PYTHON) tools/reference.py
	$(PYTHON) tools/dashboard.py
	$(PYTHON) tools/prometheus_rule.py

clean: ## Removes what can be made again.
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
