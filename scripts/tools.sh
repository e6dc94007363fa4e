#!/usr/bin/env bash
# Installs the pinned tools of `make check` into .tools/, or those that are named: scripts/tools.sh govulncheck
# Each is installed only when that version isn't there yet.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

# tool NAME PACKAGE VERSION
tool() {
  local stamp=.tools/$1-$3
  if [[ " $wanted " != *" $1 "* ]] || [[ -x .tools/$1 && -e $stamp ]]; then return 0; fi
  echo "tools: installing $1 $3" >&2
  rm -f ".tools/$1"-v*
  GOBIN=$PWD/.tools GOFLAGS='' go install "$2@$3"
  touch "$stamp"
}

wanted=${*:-gofumpt deadcode golangci-lint}
mkdir -p .tools
tool gofumpt mvdan.cc/gofumpt v0.12.0
tool deadcode golang.org/x/tools/cmd/deadcode v0.52.0
tool gotestsum gotest.tools/gotestsum v1.13.0
tool govulncheck golang.org/x/vuln/cmd/govulncheck v1.9.0
tool golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint v2.15.0 # takes a minute or two
