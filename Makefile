# SPDX-License-Identifier: Apache-2.0
# A thin front for CMake: each target below is one thing that a person wants to do.
#   make            set up and build          make test       build and run all tests
#   make demo       build and show it         make bench      measure
#   make docs       the reference pages, as man pages and HTML, into build/docs
#   make asan       all tests, sanitized      make fuzz       each fuzz target, FUZZ_SECONDS long
#   make install    PREFIX=..., DESTDIR=...   make format, make check-format, make clean
SHELL := /bin/bash
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
export DESTDIR

BUILD := build/release
ENV := SRC="$(CURDIR)" BUILD="$(CURDIR)/$(BUILD)" PTO="$(CURDIR)/$(BUILD)/bin/pto"
CODE = $(shell find bench examples fuzz include src tests tools -not -path 'tests/data/*' \
	\( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' \) 2>/dev/null)

# $(call build,PRESET): configures quietly, builds; a configuration that fails shows why.
define build
	@mkdir -p build
	@cmake --preset $(1) >build/$(1)-configure.log 2>&1 || { cat build/$(1)-configure.log; exit 1; }
	@cmake --build --preset $(1) -j $(JOBS)
endef

.PHONY: all setup test demo bench docs asan fuzz install format check-format clean

all: setup
	$(call build,release)

setup:
	@scripts/setup.sh

test: all
	@ctest --preset release --output-on-failure -j2

demo: all
	@$(ENV) bash scripts/demo.sh

bench: all
	@found=; for program in $(BUILD)/bench/bench_*; do \
		if [ -f "$$program" ] && [ -x "$$program" ]; then found=1; "$$program" || exit 1; fi; \
	done; [ "$$found" ] || { echo "make bench: there is no benchmark" >&2; exit 1; }

docs: all
	@$(ENV) bash scripts/docs.sh build/docs

asan: setup
	$(call build,asan)
	@ctest --preset asan --output-on-failure -j2

fuzz:
	@scripts/setup.sh fuzz
	$(call build,fuzz)
	@scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

install: all
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix "$(PREFIX)")

format:
	@scripts/setup.sh format
	@clang-format -i $(CODE)

check-format:
	@scripts/setup.sh format
	@clang-format --dry-run --Werror $(CODE)

clean:
	@cmake -E rm -rf build
