# The front door. CMake presets do the work (CMakePresets.json); tools/ holds the longer scripts.
.DEFAULT_GOAL := build
.PHONY: help build demo test thread lint fuzz fuzz-differential soak soak-fleet hostile bench scoreboard conformance install packages packages-test packages-check arm64 arm64-test tarball tarball-test image image-test clean

SECONDS_EACH ?= 60
SECONDS ?= 600
SEED ?= 1
SEEDS ?= 20000
CLUSTERS ?= 10000
MINUTES ?= 5
SIZES ?= 1 50 200 500
ALONE ?= 1000 2000 5000 10000
PREFIX ?= /usr/local
TESTS ?= dev

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | \
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
	@cmake --workflow --preset $(TESTS)

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
	@cmake --build --preset release --target soak soak_sets soak_account soak_rollout soak_prune matrix clusterresourceset_scenario_test
	@build/release/matrix --full
	@build/release/soak --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_sets --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_account --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_rollout --seed $(SEED) --seeds $(SEEDS)
	@build/release/soak_prune --seed $(SEED) --seeds $(SEEDS)
	@CRS_FIXTURE_MERGES=1 build/release/tests/scenarios/clusterresourceset/clusterresourceset_scenario_test

soak-fleet: ## CLUSTERS=10000 virtual clusters that fail, come and go for MINUTES=5; then everything must be right
	@tools/bootstrap test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset
	@tests/soak/fleet/run --clusters $(CLUSTERS) --minutes $(MINUTES) --seed $(SEED)

hostile: ## attack the release build: 70 hostile clusters, then 25 hostile clients, in 512 MiB
	@tools/bootstrap test
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset hostile
	@tests/hostile/clusters --corset build/release/corset --limit $$((512 << 20))
	@tests/hostile/clusters --tenants --corset build/release/corset --limit $$((512 << 20))
	@build/release/hostile --server build/release/corset --limit $$((512 << 20))

bench: ## measure memory, switches, parsing, requests
	@tools/bootstrap build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target bench corset example_nodes bench_connected
	@tests/bench/get-etcd build/release/etcd
	@build/release/bench
	@tests/bench/web build/release/corset
	@tests/bench/nodes/run build/release

scoreboard: ## measure beside Cluster API, with SIZES="1 50 200 500" clusters, and corset with ALONE="1000 ..."; hours
	@tools/bootstrap test
	@tools/kubernetes
	@tools/cluster-api
	@tools/kubectl
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target corset
	@tests/peers/scoreboard/run --sizes '$(SIZES)' --alone '$(ALONE)'

conformance: ## prove it on real Kubernetes servers, which it builds when they are not there
	@tools/bootstrap test
	@tests/peers/real/conformance

install: build ## install program, manual, completions, library and guide below PREFIX=/usr/local, DESTDIR=
	@cmake --build --preset release --target installed
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

packages: ## Debian packages for Debian 12 and 13, in chroots: build/packages/; needs root
	@tools/bootstrap release
	@for suite in bookworm trixie; do tools/make-packages $$suite || exit; done

packages-test: packages ## install, use, upgrade, remove and purge the packages on empty systems, also under systemd
	@for suite in bookworm trixie; do \
	    tests/product/packages/install $$suite build/packages/$$suite && \
	    { tests/product/packages/systemd $$suite build/packages/$$suite || [ $$? = 77 ]; } || exit; \
	done

packages-check: ## build the packages twice: they must be equal
	@for suite in bookworm trixie; do tools/make-packages --check $$suite || exit; done

arm64: ## Debian 13's packages and the image for arm64, by cross compilers; needs root
	@tools/bootstrap release
	@tools/make-packages trixie arm64
	@tools/make-image arm64

arm64-test: arm64 ## tests of the lower layers and the program under qemu, and a look at the image
	@tests/product/packages/arm64 build/packages/trixie
	@tests/product/packages/image build/image arm64

tarball: ## the program with its libraries for other distributions: build/tarball/
	@tools/bootstrap build
	@tools/make-tarball

tarball-test: tarball ## unpack and use the tarball; build it twice more, both must be equal
	@tests/product/packages/tarball build/tarball
	@tools/make-tarball --check

image: ## the OCI image, from the packages for Debian 13, by buildah: build/image/; needs root
	@tools/bootstrap release
	@tools/make-packages trixie
	@tools/make-image

image-test: image ## look at the image and start it, on a read-only root as its user
	@tests/product/packages/image build/image
	@tools/make-image "$$(dpkg --print-architecture)" build/image/again
	@cd build/image/again && sha256sum --quiet -c ../SHA256SUMS --ignore-missing && echo 'PASS  two images are equal'

clean: ## remove everything that was built
	rm -rf build
