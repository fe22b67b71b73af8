# Gatecrash. `make help` lists every target.
SHELL := /bin/bash
GO ?= go
GOLANGCI ?= github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
PACKAGES ?= ./...
COUNT ?= 1

.DEFAULT_GOAL := help
.PHONY: help deps images build static test race e2e lint fmt demo clean picture

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

deps: ## install the servers that the local backend needs (Debian packages), or say what to install
	@docker/deps.sh

images: ## build the Postgres and Redis images from Debian packages, for machines where no registry answers
	@docker/images.sh

build: ## build bin/gatecrash
	@mkdir -p bin
	$(GO) build -o bin/gatecrash ./cmd/gatecrash

static: ## build dist/gatecrash without C libraries, for the image of the booking service
	@mkdir -p dist
	CGO_ENABLED=0 $(GO) build -trimpath -o dist/gatecrash ./cmd/gatecrash

test: ## every test; with CI=true a missing server is a failure, else those tests are skipped
	$(GO) vet $(PACKAGES)
	$(GO) test -count=$(COUNT) -timeout 15m $(PACKAGES)
	@$(MAKE) --no-print-directory e2e

e2e: ## the program itself on real servers, one run at a time (part of test)
	$(GO) test -tags e2e -run 'TestE2E' -count=$(COUNT) -timeout 15m ./cmd/gatecrash

race: ## every test under the race detector
	$(GO) test -race -count=$(COUNT) -timeout 30m $(PACKAGES)

lint: ## golangci-lint, built from source on first use
	$(GO) run $(GOLANGCI) run $(PACKAGES)

fmt: ## format the sources
	gofmt -w cmd sim system reports scenarios

demo: deps build ## run opening-night: about a minute, then open the report it names
	bin/gatecrash run opening-night --retry-invalid 2

picture: ## make docs/report.png from the newest run (needs chromium)
	@docs/picture.sh runs/latest

clean: build ## remove what was built and what killed runs left behind
	bin/gatecrash clean
	rm -rf bin
