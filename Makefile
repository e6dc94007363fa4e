SHELL := bash
.DEFAULT_GOAL := help

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help run build dist test quick test-race test-long test-generators test-views test-fleet test-whatsapp test-dist check audit publish-path lint fmt generate prose bench fuzz screenshots setup

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Run everything on this machine, with virtual phones (ARGS="--data DIR")
	go run ./cmd/griot dev $(ARGS)

build: ## Build bin/griot
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/griot ./cmd/griot

dist: ## Build a release into dist/: archives, Debian packages, an image, SBOMs, checksums (ARGS="-targets linux/amd64")
	cd tools/dist && go run . $(ARGS)

test: setup ## Install what the tests need, then run them all (ARGS="-run TestX ./messaging/...")
	scripts/test.sh $(ARGS)

quick: setup ## Run the tests of what has changed since they last passed; without those that run programs of their own
	TEST_SUITE=quick scripts/test.sh

test-race: setup ## Run with the race detector what make test runs without it: the two APIs, pages, documents, the program's own tests
	TEST_SUITE=raced scripts/test.sh

test-long: setup ## Kill the program 200 times under mixed load (GRIOT_TEST_KILLS=1000), kill a batch of 100,000 rows, recover PostgreSQL to a point in time; all proxies, the assistant's conformance, the README's pictures, another module path
	GRIOT_TEST_LONG=1 GRIOT_TEST_KILLS=$${GRIOT_TEST_KILLS:-200} scripts/test.sh -timeout=60m -run 'TestCrash_MixedLoad|TestCLI_BatchKilled|TestBackup_UnderLoadAndRestored|TestInit_ProxiesInFront|TestAssistant_|TestScreenshots|TestPublishPath' . ./cmd/griot

test-generators: setup ## Hold the OpenAPI documents to all linters and generators of clients; make test holds them to three
	GRIOT_TEST_GENERATORS=1 scripts/test.sh -run TestDocuments_LintersAndGeneratorsOfOthers ./cmd/griot

test-views: setup ## Look at every page in every theme, language and width; make test looks at each in two
	GRIOT_TEST_VIEWS=1 scripts/test.sh -timeout=60m -run 'Browser' ./messaging/dashboard ./auth/dashboard ./operator ./cmd/griot

test-fleet: setup ## Run three nodes under load and faults, and find faults that are planted (GRIOT_TEST_FLEET=10m)
	GRIOT_TEST_FLEET=$${GRIOT_TEST_FLEET:-3m} scripts/test.sh -v -timeout=120m -run '^TestFleet_' ./test/fleet

test-whatsapp: setup ## Hold 200 linked numbers in one process: memory, and coming back after an outage (GRIOT_TEST_DEVICES=500)
	cd gateways/whatsapp && GRIOT_TEST_DEVICES=$${GRIOT_TEST_DEVICES:-200} go test -count=1 -v -timeout=60m -run '^TestManyDevices$$' ./cmd/griot-whatsapp

test-dist: ## Build a release twice, install its package in a throw-away root, and run its image; as root
	scripts/test-dist.sh

check: ## Check the code without running it: format, architecture, vet, generated files, lint, dead code
	scripts/check.sh

lint: ## Run golangci-lint (ARGS=--fix)
	scripts/lint.sh $(ARGS)

fmt: ## Format the Go files
	scripts/tools.sh && scripts/gofiles.sh | xargs -0 .tools/gofumpt -w

generate: ## Write the generated files again
	for module in $$(scripts/modules.sh); do (cd "$$module" && go generate ./...) || exit; done
	cd sdk/typescript && npm run --silent generate

prose: ## Print the figures of the documents' language, and their longest sentences (docs/style.md)
	go test -count=1 -v -run '^TestProse$$' .

bench: ## Measure beside bare counterparts: docs/performance.md (ARGS="-only send -seconds 8")
	go run ./bench $(ARGS)

fuzz: ## Fuzz each fuzz test for ten seconds (FUZZTIME=1m)
	scripts/fuzz.sh

screenshots: setup ## Take pictures of every page into screenshots/, and the README's into docs/img
	mkdir -p screenshots
	GRIOT_TEST_SCREENSHOTS=$(CURDIR)/screenshots go test -count=1 -timeout=30m -run '^TestScreenshots$$' ./cmd/griot

audit: ## Check what Griot depends on: licences, checksums, known vulnerabilities
	scripts/audit.sh

publish-path: ## Give Griot the path under which it is published (MODULE=host/owner/griot CONTACT=security@host)
	@scripts/publish-path.sh "$(MODULE)" "$(CONTACT)"

setup: ## Install what the tests need and this machine lacks
	@scripts/setup.sh
