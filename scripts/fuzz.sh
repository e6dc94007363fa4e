#!/usr/bin/env bash
# Fuzzes every fuzz test for a short time each: FUZZTIME=1m scripts/fuzz.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

for dir in $(scripts/gofiles.sh | xargs -0 grep -lE '^func Fuzz' -- | xargs -r -n1 dirname | sort -u); do
  sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$dir"/*_test.go | while read -r name; do
    # Minimizing is cut short: a whole service never takes exactly the same path twice, so it would take all the time.
    (cd "$dir" && go test -run='^$' -fuzz="^$name\$" -fuzzminimizetime=10x -fuzztime="${FUZZTIME:-10s}" . </dev/null)
  done
done
