#!/usr/bin/env bash
# Prints the repository's Go files, NUL-separated: those in git, and new ones that are not ignored.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -z --cached --others --exclude-standard -- '*.go' | while IFS= read -r -d '' file; do
  if [[ -f $file ]]; then printf '%s\0' "$file"; fi # git still lists a file that was just deleted
done
