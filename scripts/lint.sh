#!/usr/bin/env bash
# Runs golangci-lint over every module; arguments go to it: scripts/lint.sh --fix
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
root=$PWD

scripts/tools.sh golangci-lint
for module in $(scripts/modules.sh); do
  (cd "$module" && "$root/.tools/golangci-lint" run --config "$root/.golangci.yml" "$@" ./...)
done
