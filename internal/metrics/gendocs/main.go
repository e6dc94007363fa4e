// Command gendocs writes docs/operating/metrics.md; run it with `make generate`.
package main

import (
	"log"
	"os"

	"example.com/griot/internal/metrics"
)

func main() {
	if err := os.WriteFile("../../docs/operating/metrics.md", []byte(metrics.Markdown()), 0o644); err != nil { //nolint:gosec // a document for everybody
		log.Fatal(err)
	}
}
