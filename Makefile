.DEFAULT_GOAL := help
.PHONY: help deps demo test check lint format bench asan tsan clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

deps:  ## Install the Debian packages that are missing
	@tools/install_deps.sh

demo:  ## Build pawl and run the first scenario
	@tools/install_deps.sh build
	@tools/build.sh release pawl
	@build/release/pawl run configs/scenarios/stock.yaml

test:  ## Build everything and run all tests (what CI runs)
	@tools/install_deps.sh build test
	@tools/test.sh release

check:  ## Check the format and the layers
	@tools/install_deps.sh check
	@tools/format.sh --check
	@tools/layers.py

lint:  ## Run clang-tidy over everything (minutes)
	@tools/install_deps.sh
	@tools/lint.sh

format:  ## Format all sources
	@tools/format.sh

bench:  ## Build and run the benchmarks
	@tools/install_deps.sh build test
	@tools/build.sh release
	@tools/pg.sh run sh -ec 'for b in build/release/bench_*; do echo "== $$b"; "$$b"; done'

asan:  ## All tests under the address and undefined behaviour sanitizers
	@tools/install_deps.sh build test
	@tools/test.sh asan

tsan:  ## The plain classes' tests under the thread sanitizer
	@tools/install_deps.sh build test
	@tools/test.sh tsan

clean:  ## Remove all build directories
	@rm -rf build
