SHELL := bash
.DEFAULT_GOAL := help
include scripts/env.sh

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help run build dist test test-system test-race test-long check audit publish-path lint fmt generate prose bench fuzz setup

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Run everything on this machine, with virtual phones (ARGS="--data DIR")
	go run ./cmd/griot dev $(ARGS)

build: ## Build bin/griot
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/griot ./cmd/griot

dist: ## Build a release into dist/: archives, Debian packages, an image, SBOMs, checksums (ARGS="-targets linux/amd64")
	cd tools/dist && go run . $(ARGS)

test: ## Run every package's tests, and a smoke test of the program (ARGS=./messaging/...)
	@scripts/setup.sh test && scripts/test.sh packages $(ARGS)

test-system: ## Run the program as people meet it, with browsers and other people's programs (ARGS=./test/system/crash)
	@scripts/setup.sh system && scripts/test.sh system $(ARGS)

test-race: ## Run packages that share memory with the race detector (ARGS=all)
	@scripts/setup.sh race && scripts/test.sh race $(ARGS)

test-long: ## Run one of the tests that take long (ARGS="fleet 10m"); without ARGS, list them
	@[ -z "$(ARGS)" ] || scripts/setup.sh system
	@scripts/test-long.sh $(ARGS)

check: ## Check the code without running it: format, architecture, vet, generated files, linters (ARGS=quick: no linters)
	@scripts/check.sh $(ARGS)

lint: ## Run golangci-lint (ARGS=--fix)
	scripts/lint.sh $(ARGS)

fmt: ## Format the Go files
	scripts/tools.sh && scripts/gofiles.sh | xargs -0 .tools/gofumpt -w

generate: ## Write the generated files again
	for module in $$(scripts/modules.sh); do (cd "$$module" && go generate ./...) || exit; done
	cd sdk/typescript && npm run --silent generate

prose: ## Print the figures of the documents' language, and their longest sentences (docs/style.md)
	go test -count=1 -v -run '^TestProse$$' ./test/arch

bench: ## Measure beside bare counterparts: docs/performance.md (ARGS="-only send -seconds 8")
	go run ./bench $(ARGS)

fuzz: ## Fuzz each fuzz test for ten seconds (FUZZTIME=1m)
	scripts/fuzz.sh

audit: ## Check what Griot depends on: licenses, checksums, known vulnerabilities
	scripts/audit.sh

publish-path: ## Give Griot the path under which it is published (MODULE=host/owner/griot CONTACT=security@host)
	@scripts/publish-path.sh "$(MODULE)" "$(CONTACT)"

setup: ## Install what make test-system needs and this machine lacks
	@scripts/setup.sh
