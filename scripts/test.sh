#!/usr/bin/env bash
# The whole test suite: vet, then every test with the race detector, in random order; then those of the TypeScript client.
# Arguments go to `go test`: scripts/test.sh -run TestSubmit ./messaging/...
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${TEST_POSTGRES:-} ]]; then # one server for all packages
  exec go run ./internal/db/dbtest/withpostgres scripts/test.sh "$@"
fi

# SQLite is C that was translated to Go: the race detector and the checks of pointers find nothing of ours in it, and took
# a third of the whole run.
# go.mau.fi/util/exsync, which whatsmeow uses, sets a flag to true under a read lock: a race of the library, without effect.
race=(-race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' '-gcflags=go.mau.fi/util/exsync=-race=false') # (bash 3, which macOS still has, takes an empty array for an unset one)
command -v "$(go env CC)" >/dev/null || race=() # setup.sh has said so
# Many tests wait for a process, a browser or a timer: one package more than there are cores keeps the cores busy.
packages=$(($(getconf _NPROCESSORS_ONLN) + 1))
if (($# > 0)); then
  exec go test ${race[@]+"${race[@]}"} -shuffle=on -timeout=15m "$@"
fi
for module in $(scripts/modules.sh); do
  slowest=() # begins first, so that nothing waits for it alone at the end
  if [[ $module == . ]]; then slowest=(./cmd/griot); fi
  (cd "$module" && go vet ./... && go test ${race[@]+"${race[@]}"} -shuffle=on -timeout=30m -p "$packages" ${slowest[@]+"${slowest[@]}"} ./...)
done
(cd sdk/typescript && npm test --silent)
