# `make demo` and `make test` are the two commands that need nothing prepared but a Swift 6 toolchain.
.DEFAULT_GOAL := help
.PHONY: help build demo test test-extra test-sanitizers bench lint fuzz clean prepare

SWIFT_FLAGS := --explicit-target-dependency-import-check error
# One test after the other: the servers, brokers and databases of many at once starve each other on two cores.
# Leak checks know the leaks of the test runner itself apart by leaving XCTest out.
TEST_FLAGS := $(SWIFT_FLAGS) --disable-xctest --no-parallel
RELEASE := .build/release/doorstep

help: ## says what each command does
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

prepare: # the Debian packages that are missing, and the toolchain
	@scripts/install-dependencies
	@scripts/require-swift

build: prepare ## a release build of the doorstep executable
	swift build $(SWIFT_FLAGS) -c release --product doorstep

demo: build ## the whole line on embedded parts: report, then one JSON line (DEMO_ARGS="--trips FILE ...")
	@$(RELEASE) demo $(DEMO_ARGS)

test: prepare ## the whole test suite against a real PostgreSQL, a real broker and real HTTP/2
	swift build $(SWIFT_FLAGS) --build-tests
	swift test $(TEST_FLAGS) --skip-build --skip EndToEndTests
	swift test $(TEST_FLAGS) --skip-build --filter EndToEndTests

test-extra: prepare ## the long and tool-heavy tests as well
	TEST_EXTRA=1 swift test $(TEST_FLAGS)

test-sanitizers: prepare ## the tests under the address and the thread sanitizer
	swift test $(TEST_FLAGS) --scratch-path .build-address --sanitize=address -Xswiftc -use-ld=lld
	swift test $(TEST_FLAGS) --scratch-path .build-thread --sanitize=thread -Xswiftc -use-ld=lld

bench: build ## the sender against h2load, one JSON object a line
	@$(RELEASE) bench push

lint: prepare ## formatting, and the repository's own rules
	swift format lint --strict --recursive Package.swift Sources Tests
	swift test $(TEST_FLAGS) --filter TidyTests

fuzz: prepare ## the decoders on random and mutated input for FUZZ_SECONDS (60)
	FUZZ_SECONDS=$${FUZZ_SECONDS:-60} swift test $(TEST_FLAGS) --filter Fuzz

clean: ## removes what was built
	rm -rf .build .build-address .build-thread
