#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other. Usage: fuzz.sh [TIME]; default: 20s each.
# Plain "go test" runs the seeds of all of them; this looks further. A finding is kept as a seed in testdata/fuzz.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
time=${1:-20s}
status=0
while read -r package; do
	targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for target in $targets; do
		printf 'fuzz.sh: %s %s\n' "$package" "$target" >&2
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" || status=1
	done
done < <(go list ./... | grep -v '/contract')
exit $status
