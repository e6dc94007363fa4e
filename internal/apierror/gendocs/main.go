// Command gendocs writes docs/errors.md from the catalog; run it with `make generate`.
package main

import (
	"log"
	"os"

	"example.com/griot/internal/apierror"
)

func main() {
	if err := os.WriteFile("../../docs/errors.md", []byte(apierror.Markdown()), 0o644); err != nil { //nolint:gosec // a document for everybody
		log.Fatal(err)
	}
}
