// Command gendocs writes docs/errors.md from the catalog; run it with `make generate`.
package main

import (
	"log"
	"os"

	"example.com/griot/internal/fault"
)

func main() {
	if err := os.WriteFile("../../docs/errors.md", []byte(fault.Markdown()), 0o644); err != nil { //nolint:gosec // a document for everybody
		log.Fatal(err)
	}
}
