# Few targets; what they do in more than a line is in scripts/. Godot and Xvfb are fetched when they are missing.
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo test lint bench soak generate build

# The tools are pinned here and run by version, so that the module's own dependencies stay what the daemon needs.
GOFUMPT := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The race detector needs a C compiler; without one the tests run without it, and say so.
RACE := $(shell command -v "$$(go env CC)" >/dev/null && test "$$(go env CGO_ENABLED)" = 1 && echo -race)
# Packages of plain values: the race detector finds nothing there, in five times the time.
PURE := /(protocol|internal/(tool|catalog|docs|contract|gen))$$
RACE_NOTE := $(if $(RACE),,@echo 'No C compiler: the race detector is off.')

# Sets GODOT_BIN for the rest of a recipe line.
WITH_GODOT := export GODOT_BIN && GODOT_BIN="$$(bash scripts/godot.sh)" &&

help: ## Show the targets
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: ## Watch a real MCP client edit a real Godot project
	@$(WITH_GODOT) go run ./contract/demo

test: lint ## Everything: lint, Go tests, value vectors, the contract suite on real editors
	$(RACE_NOTE)
	@bash scripts/xvfb.sh >/dev/null
	$(WITH_GODOT) go test $(RACE) -timeout 10m $$(go list ./... | grep -Ev '$(PURE)|^drawbridge/contract')
	go test -timeout 10m $$(go list ./... | grep -E '$(PURE)')
	$(WITH_GODOT) go test -count=1 -timeout 30m ./contract/...

lint: ## Vet (also for Windows and macOS), format, staticcheck, GDScript with all warnings as errors
	go vet ./...
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...
	@unformatted="$$(go run $(GOFUMPT) -l .)" && if [ -n "$$unformatted" ]; then \
		echo "not formatted by gofumpt:"; echo "$$unformatted"; exit 1; fi
	go run $(STATICCHECK) ./...
	$(WITH_GODOT) bash scripts/check.sh

bench: ## Measure speed beside the raw floor of the same link (BENCH_JSON=file writes the figures)
	@$(WITH_GODOT) go run ./contract/bench

soak: ## The long versions of the kill tests, the random walks and the fuzz targets
	@bash scripts/xvfb.sh >/dev/null
	bash scripts/fuzz.sh 20s
	$(WITH_GODOT) DRAWBRIDGE_SOAK=1 go test -count=1 -timeout 3h -v ./contract/...

generate: ## Write the generated files anew
	go run ./daemon/internal/gen

build: ## Build build/drawbridge
	go build -o build/drawbridge ./daemon/cmd/drawbridge
