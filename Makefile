# The front door. CMake presets do the work; see CMakePresets.json.
.DEFAULT_GOAL := build
.PHONY: help build test clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

build: ## build the release program
	@tools/bootstrap build
	@cmake --preset release && cmake --build --preset release

test: ## build with sanitizers and run every test
	@tools/bootstrap test
	@cmake --workflow --preset dev

clean: ## remove everything that was built
	rm -rf build
