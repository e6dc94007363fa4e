#!/usr/bin/env bash
# Runs the tests: scripts/test.sh RING [ARGUMENTS]
#   packages [PACKAGES]  each package's tests on SQLite and PostgreSQL, then the smoke test of the program. They need Go and
#                        PostgreSQL. With packages: theirs only, from the cache of go test where it can.
#   system [PACKAGES]    the program as people meet it, with browsers and other people's programs (test/system). A failed test
#                        runs once more, alone, unless more than three have failed; one that then passes is FLAKY.
#   race [all|PACKAGES]  packages whose goroutines share memory, with the race detector.
# It shows each package as it ends, and a summary at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
root=$PWD

ring=${1:?name a ring: packages, system, or race}
shift

# Packages that share memory between goroutines beyond one request.
shared=(./internal/breaker ./internal/connlimit ./internal/db ./internal/httpx ./internal/limit ./internal/masterkey ./internal/metrics
  ./internal/task ./internal/webhook ./gateway/... ./auth/webhooks ./auth/login ./auth/tenant ./auth/token ./messaging/account
  ./messaging/counts ./messaging/delivery ./messaging/webhooks ./messaging/connections ./messaging/inbox ./messaging/otp ./messaging/outbox
  ./messaging/pairing ./messaging/quota ./messaging/stats)

# SQLite is C that was translated to Go: the race detector and the checks of pointers find nothing of ours in it, and took a
# third of the whole run. go.mau.fi/util/exsync, which whatsmeow uses, sets a flag to true under a read lock.
race=(-race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' '-gcflags=go.mau.fi/util/exsync=-race=false')

# The compiler and the linker spend a sixth of their time on garbage collection with the default of 100. Programs of the other
# rings, whose memory is measured, keep it.
if [[ $ring == packages ]]; then export GOGC=${GOGC:-400}; fi

# All packages share one PostgreSQL server. Named packages have their own: the address of a shared server is new in each run,
# and the cache of go test compares it.
if [[ -z ${TEST_POSTGRES:-} && ! ($ring == packages && $# -gt 0) ]]; then
  exec go run ./internal/db/dbtest/withpostgres scripts/test.sh "$ring" "$@"
fi

scripts/tools.sh gotestsum
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# sum NAME [OPTION...] -- [ARGUMENT...] runs gotestsum in the current directory. make check has run go vet.
sum() {
  local name=$1
  shift
  "$root/.tools/gotestsum" --format=pkgname --format-hide-empty-pkg --hide-summary=skipped --jsonfile="$work/$name.json" "$@" || failed=1
}

# slowest prints the tests that took longest.
slowest() {
  echo "tests of more than ${1}s:"
  cat "$work"/*.json 2>/dev/null | "$root/.tools/gotestsum" tool slowest --threshold="${1}s" --num=10
}

# packages_but PATTERN prints the packages of the module in the current directory but those whose path has the pattern.
packages_but() { go list ./... | grep -v "$1"; }

case $ring in
packages)
  if (($# > 0)); then
    sum packages -- -vet=off -timeout=10m "$@"
  else
    # shellcheck disable=SC2046 # a word for each package
    sum packages -- -vet=off -shuffle=on -timeout=10m $(packages_but /test/system/)
    sum planted -- -vet=off -tags=failpoints -run='^TestPlanted_' ./messaging/outbox
    for module in client griot-whatsapp; do
      cd "$root/$module"
      # shellcheck disable=SC2046
      sum "${module//\//-}" -- -vet=off -shuffle=on -timeout=10m $(packages_but /test/system)
    done
    cd "$root"
  fi
  slowest 5
  ;;
system)
  echo "building the programs" >&2
  go build -o "$work/griot" ./cmd/griot
  go build -tags failpoints -o "$work/griot-failpoints" ./cmd/griot
  again=(--rerun-fails=1 --rerun-fails-max-failures=3)
  GRIOT_TEST_PROGRAMS=$work sum system "${again[@]}" --rerun-fails-report="$work/system.again" --packages="${*:-./test/system/...}" -- -vet=off -shuffle=on -timeout=30m -p=2
  if (($# == 0)); then
    for module in griot-whatsapp tools/audit tools/dist; do
      cd "$root/$module"
      packages=./...
      if [[ -d test/system ]]; then packages=./test/system/...; fi
      sum "${module//\//-}" "${again[@]}" --rerun-fails-report="$work/${module//\//-}.again" --packages="$packages" -- -vet=off -shuffle=on -timeout=15m
    done
    cd "$root/sdk/typescript" && npm test --silent || failed=1
    cd "$root"
  fi
  # A report's line is "PACKAGE.TEST: RUNS runs, FAILURES failures". Without a second try there is no report.
  rm -f flaky.txt
  { cat "$work"/*.again 2>/dev/null || true; } | sed -nE 's/^(.*): 2 runs, 1 failures?$/FLAKY \1/p' >flaky.txt
  if [[ -s flaky.txt ]]; then cat flaky.txt; else rm -f flaky.txt; fi
  slowest 10
  ;;
race)
  command -v "$(go env CC)" >/dev/null || { echo "the race detector needs a C compiler" >&2; exit 1; }
  # The race detector sleeps at the end of each process, so that other threads can report races. Less garbage collection saves
  # an eighth of the CPU time.
  export GORACE="atexit_sleep_ms=100 ${GORACE:-}" GOGC=400
  if [[ ${1:-} == all ]]; then
    # shellcheck disable=SC2046
    sum race -- "${race[@]}" -vet=off -shuffle=on -timeout=60m $(packages_but /test/system/)
    cd griot-whatsapp
    # shellcheck disable=SC2046
    sum race-whatsapp -- "${race[@]}" -vet=off -shuffle=on -timeout=60m $(packages_but /test/system)
  elif (($# > 0)); then
    sum race -- "${race[@]}" -vet=off -shuffle=on -timeout=30m "$@"
  else
    sum race -- "${race[@]}" -vet=off -shuffle=on -timeout=30m "${shared[@]}"
  fi
  ;;
*)
  echo "test.sh: $ring is no ring: packages, system, race" >&2
  exit 2
  ;;
esac
exit "$failed"
