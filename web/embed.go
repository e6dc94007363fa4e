package web

import "embed"

//go:embed templates static button
var files embed.FS
