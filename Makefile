# The front door. CMake presets do the work (CMakePresets.json); tools/ holds the longer scripts.
.DEFAULT_GOAL := build
.PHONY: help build demo test thread lint fuzz fuzz-differential soak hostile bench conformance install packages packages-test tarball clean

SECONDS_EACH ?= 60
SECONDS ?= 600
SEED ?= 1
SEEDS ?= 20000
PREFIX ?= /usr/local

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | \
	    awk -F'\t' '{printf "  make %-17s %s\n", $$1, $$2}'

build: ## build the release program, build/release/corset
	@tools/bootstrap build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset

demo: build ## build, then show what corset does
	@build/release/corset demo

test: ## build with the address and undefined-behaviour sanitizers, run every test
	@tools/bootstrap test
	@tools/kubectl
	@tools/promtool
	@tools/prometheus
	@cmake --workflow --preset dev

thread: ## build with the thread sanitizer, run every test
	@tools/bootstrap test
	@tools/kubectl
	@tools/promtool
	@tools/prometheus
	@cmake --workflow --preset thread

lint: ## check format, warnings, clang-tidy, cppcheck, shellcheck
	@tools/bootstrap lint
	@tools/lint

fuzz: ## fuzz every parser for SECONDS_EACH=60 seconds
	@tools/bootstrap test
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz
	@tools/fuzz $(SECONDS_EACH)

fuzz-differential: ## play random API requests on kube-apiserver and on corset for SECONDS=600 seconds, from SEED=1
	@tools/bootstrap test
	@tools/kubernetes
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset differential
	@tests/peers/differential/run --seconds $(SECONDS) --seed $(SEED)

soak: ## every kind of API request, then controllers with faults for SEEDS=20000 seeds from SEED=1
	@tools/bootstrap test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target soak soak_sets soak_account matrix clusterresourceset_scenario_test
	@build/release/matrix --full
	@build/release/soak --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_sets --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_account --seed $(SEED) --seeds $(SEEDS)
	@CRS_FIXTURE_MERGES=1 build/release/tests/scenarios/clusterresourceset/clusterresourceset_scenario_test

hostile: ## attack the release build: 70 hostile clusters, then 23 hostile clients, in 512 MiB
	@tools/bootstrap test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset hostile
	@tests/hostile/clusters --corset build/release/corset --limit $$((512 << 20))
	@tests/hostile/clusters --tenants --corset build/release/corset --limit $$((512 << 20))
	@build/release/hostile --server build/release/corset --limit $$((512 << 20))

bench: ## measure memory, switches, parsing, requests
	@tools/bootstrap build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench corset
	@tests/bench/get-etcd build/release/etcd
	@build/release/bench
	@tests/bench/web build/release/corset

conformance: ## prove it on real Kubernetes servers, which it builds when they are not there
	@tools/bootstrap test
	@tests/peers/real/conformance

install: build ## install program, manual, completions, library and guide below PREFIX=/usr/local, DESTDIR=
	@cmake --build --preset release --target installed
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

packages: ## Debian packages for Debian 12 and 13, in chroots: build/packages/; needs root
	@tools/bootstrap release
	@for suite in bookworm trixie; do tools/make-packages $$suite || exit; done

packages-test: packages ## install, use, upgrade, remove and purge the packages on empty systems
	@for suite in bookworm trixie; do tests/product/packages/install $$suite build/packages/$$suite || exit; done

tarball: ## the program with its libraries for other distributions: build/tarball/
	@tools/bootstrap build
	@tools/make-tarball

clean: ## remove everything that was built
	rm -rf build
