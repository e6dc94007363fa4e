#!/usr/bin/env bash
# Prints the directories of this repository's Go modules: the root, and those apart from it because of a license or of their
# dependencies.
set -euo pipefail
cd "$(dirname "$0")/.."

for mod in go.mod client/go.mod examples/*/go.mod griot-whatsapp/go.mod test/*/go.mod tools/*/go.mod; do
  if [[ -f $mod ]]; then dirname "$mod"; fi
done
