#!/usr/bin/env bash
# Fails when `go generate` changes a file: then something generated is older than its source.
# It compares before with after, so it works with uncommitted changes as well as in CI.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

snapshot() {
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [[ -f $file ]]; then printf '%s\0' "$file"; fi
  done | xargs -0 cksum | sort -u
}

snapshot >"$work/before"
for module in $(scripts/modules.sh); do
  (cd "$module" && go generate ./...)
done
snapshot >"$work/after"

if ! changed=$(diff "$work/before" "$work/after"); then
  echo "go generate changed these files; run \`make generate\` and commit them:" >&2
  sed -nE 's/^[<>] [0-9]+ [0-9]+ /  /p' <<<"$changed" | sort -u >&2
  exit 1
fi
