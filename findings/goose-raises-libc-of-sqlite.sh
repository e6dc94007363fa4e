#!/usr/bin/env bash
# Topic: migrations with goose and SQLite without C, in one Go program.
#
# Versions: modernc.org/sqlite 1.60.1 and github.com/pressly/goose/v3 3.29.0, from the Go module proxy.
# Date: 2026-11-30.
#
# A good guess: adding goose, which the program gives an open database, changes nothing about the SQLite in it.
#
# Observed: goose's own go.mod names a newer modernc.org/libc as an indirect dependency, so the program links it, although no
# package of goose that is imported uses it. The documentation of modernc.org/sqlite asks for exactly the version of its go.mod
# ("Fragile modernc.org/libc dependency"). Neither a build nor "go mod tidy" says anything. An exclude directive for the newer
# version restores the one that SQLite asks for.
#
# Output:
#   SQLite asks for v1.77.1; the program without goose links v1.77.1; with goose v1.78.0; with an exclude v1.77.1
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOWORK=off GOFLAGS=-mod=mod

linked() { go list -deps -f '{{with .Module}}{{.Path}} {{.Version}}{{end}}' . 2>/dev/null | sed -n 's|^modernc.org/libc ||p' | sort -u; }

cat >go.mod <<'MOD'
module example.com/trial

go 1.26.0

require modernc.org/sqlite v1.60.1
MOD
cat >main.go <<'GO'
package main

import _ "modernc.org/sqlite"

func main() {}
GO
go mod tidy 2>/dev/null
asked=$(sed -n 's|^[[:space:]]*modernc.org/libc ||p' "$(go list -m -f '{{.GoMod}}' modernc.org/sqlite)")
alone=$(linked)

cat >goose.go <<'GO'
package main

import _ "github.com/pressly/goose/v3"
GO
go mod edit -require=github.com/pressly/goose/v3@v3.29.0
go mod tidy 2>/dev/null
with=$(linked)

go mod edit -exclude="modernc.org/libc@$with"
go mod tidy 2>/dev/null
excluded=$(linked)

echo "SQLite asks for $asked; the program without goose links $alone; with goose $with; with an exclude $excluded" | tee output
diff output - <<'WANT'
SQLite asks for v1.77.1; the program without goose links v1.77.1; with goose v1.78.0; with an exclude v1.77.1
WANT
