#!/usr/bin/env bash
# Checks the code without running it, the quick checks first: scripts/check.sh [quick]
# quick leaves out golangci-lint and deadcode, whose first compilation takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
root=$PWD

step() { echo "check: $*" >&2; }

quick=${1:-}
[[ -z $quick || $quick == quick ]] || { echo "check: $quick is unknown: quick leaves the linters out" >&2; exit 2; }
scripts/tools.sh gofumpt

step "format (gofumpt)"
unformatted=$(scripts/gofiles.sh | xargs -0 .tools/gofumpt -l)
if [[ -n $unformatted ]]; then
  printf 'not formatted; make fmt does it:\n%s\n' "$unformatted" >&2
  exit 1
fi

step "architecture (test/arch)"
go test -count=1 ./test/arch

step "vet"
for module in $(scripts/modules.sh); do
  (cd "$module" && go vet ./...)
done

step "generated files"
scripts/generated.sh

if [[ -n $quick ]]; then
  step "all good, without linters"
  exit 0
fi

step "lint (golangci-lint; its first compilation takes minutes)"
scripts/lint.sh

step "dead code"
scripts/tools.sh deadcode
for module in $(scripts/modules.sh); do
  case $module in
    client) continue ;;                                # applications call it, and not what is here
    test/generators | test/relyingparties) continue ;; # they have no program of their own
  esac
  found=$(cd "$module" && "$root/.tools/deadcode" -test ./...)
  dead=$(grep -vE '^(\.\./)*client/' <<<"$found" || true)
  if [[ -n $dead ]]; then
    printf 'nothing calls these, not even a test:\n%s\n' "$dead" >&2
    exit 1
  fi
done
step "all good"
