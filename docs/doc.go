// Package docs holds the documentation: Markdown files, which are read in the repository and, by way of web/book, at /docs of
// a running service.
package docs

import "embed"

//go:embed *.md */*.md */*/*.md img/*.svg
var files embed.FS

// Files returns the documentation's files.
func Files() embed.FS { return files }
