#!/usr/bin/env bash
# The whole test suite in random order: with the race detector, but for what `unraced` names; then the TypeScript client's.
# Arguments go to `go test`, with the race detector: scripts/test.sh -run TestSubmit ./messaging/...
# TEST_SUITE=raced runs what the whole suite runs without the race detector, with it: a night has the time.
# TEST_SUITE=quick runs what has changed since it last passed, in order, and without what runs programs of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

suite=${TEST_SUITE:-whole}
# Packages of the quick suite have a server each: the address of a shared one would be new each time, and nothing cached.
if [[ -z ${TEST_POSTGRES:-} && $suite != quick ]]; then # one server for all packages
  exec go run ./internal/db/dbtest/withpostgres scripts/test.sh "$@"
fi

# These tests call handlers over HTTP, whose services have raced tests of their own, and those of cmd/griot run a program that
# is built without the race detector.
# cmd/griot takes longest: it begins first, so that nothing waits for it alone at the end.
unraced=(./cmd/griot ./messaging/api ./auth/api ./messaging/dashboard ./auth/dashboard ./operator ./web ./openapi)

# SQLite is C that was translated to Go: the race detector and the checks of pointers find nothing of ours in it, and took
# a third of the whole run.
# go.mau.fi/util/exsync, which whatsmeow uses, sets a flag to true under a read lock: a race of the library, without effect.
race=(-race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' '-gcflags=go.mau.fi/util/exsync=-race=false') # (bash 3, which macOS still has, takes an empty array for an unset one)
command -v "$(go env CC)" >/dev/null || race=() # setup.sh has said so
if (($# > 0)); then
  exec go test ${race[@]+"${race[@]}"} -shuffle=on -timeout=15m "$@"
fi
if [[ $suite == raced ]]; then
  exec go test ${race[@]+"${race[@]}"} -shuffle=on -timeout=60m "${unraced[@]}"
fi

# The race detector sleeps at the end of each process, so that other threads can report races: a tenth of a second is enough,
# and not a whole one for each package.
export GORACE="atexit_sleep_ms=100 ${GORACE:-}"

# The packages of the module but those of the patterns that are given.
but() {
  local pattern
  pattern=$(printf '|%s' "$@")
  go list ./... | sed "s|^$(go list -m)|.|" | grep -vE "^(${pattern:1})\$"
}

if [[ $suite == quick ]]; then
  # shellcheck disable=SC2046 # a word for each package
  exec go test -timeout=15m $(but ./cmd/griot ./bench './test/.*')
fi

# make check has run go vet. Many tests wait for a process, a browser or a timer: half as many packages more than there are
# cores keep the cores busy. With more than that, tests run into their time limits.
cores=$(getconf _NPROCESSORS_ONLN)
go test -vet=off -shuffle=on -timeout=30m -p $(((cores + 1) / 2)) "${unraced[@]}" &
beside=$!
failed=0
for module in $(scripts/modules.sh); do
  cd "$module"
  packages=./...
  if [[ $module == . ]]; then packages=$(but "${unraced[@]}"); fi
  # Collecting garbage less often saves an eighth of the CPU time; tests of cmd/griot bound the memory of programs, so not there.
  # shellcheck disable=SC2086 # a word for each package
  GOGC=400 go test ${race[@]+"${race[@]}"} -vet=off -shuffle=on -timeout=30m -p "$cores" $packages || failed=1
  cd "$OLDPWD"
done
wait "$beside" || failed=1
(cd sdk/typescript && npm test --silent) || failed=1
exit "$failed"
