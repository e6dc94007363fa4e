#!/usr/bin/env bash
# Runs the tests of each package of make test ten times on one core, beside two busy loops: scripts/stress.sh [PACKAGE...]
# A test that fails here fails by chance elsewhere. COUNT=3 runs them three times. Needs Linux.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

if [[ -z ${TEST_POSTGRES:-} ]]; then
  exec taskset -c 0 go run ./internal/db/dbtest/withpostgres scripts/stress.sh "$@"
fi

work=$(mktemp -d)
loops=()
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$work"' EXIT
if (($# > 0)); then packages=$(go list "$@"); else packages=$(go list ./... | grep -v /test/system/); fi

for _ in 1 2; do
  (while :; do :; done) &
  loops+=($!)
  taskset -cp 0 $! >/dev/null
done

failed=()
for package in $packages; do
  taskset -c 1 go test -c -vet=off -o "$work/stress.test" "$package" >/dev/null
  [[ -x $work/stress.test ]] || continue # no tests
  echo "stress: $package"
  dir=$(go list -f '{{.Dir}}' "$package")
  if ! (cd "$dir" && taskset -c 0 "$work/stress.test" -test.count="${COUNT:-10}" -test.shuffle=on -test.timeout=30m) >"$work/log" 2>&1; then
    failed+=("$package")
    grep -vE '^(PASS|ok)' "$work/log" | tail -n 60
  fi
  rm -f "$work/stress.test"
done
if ((${#failed[@]} > 0)); then
  printf 'stress: failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "stress: none failed"
