#!/usr/bin/env bash
# Looks at what Griot depends on: licenses, checksums, and known vulnerabilities of the Go modules and npm packages.
# GRIOT_VULNDB is a copy of Go's vulnerability database, where the public one is out of reach.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
root=$PWD
failed=0

step() { echo "audit: $*" >&2; }

scripts/tools.sh govulncheck

step "licenses"
(cd tools/audit && go run .) || failed=1

for module in $(scripts/modules.sh); do
  step "checksums ($module)"
  (cd "$module" && go mod verify) || failed=1
  step "known vulnerabilities ($module)"
  (cd "$module" && "$root/.tools/govulncheck" ${GRIOT_VULNDB:+-db "$GRIOT_VULNDB"} -test ./...) || failed=1
done

while IFS= read -r lock; do
  step "known vulnerabilities ($(dirname "$lock"))"
  (cd "$(dirname "$lock")" && npm audit --audit-level=high) || failed=1
done < <(git ls-files '*package-lock.json')

exit "$failed"
