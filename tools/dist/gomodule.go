package main

import (
	"context"
	"path/filepath"
	"strings"

	"example.com/griot/tools/dist/goproxy"
)

const (
	goClientFolder = "client"
	proxyFolder    = "goproxy" // for GOPROXY=file:///…/goproxy
)

// writeGoModule writes the module of the Go client in the format of a module proxy.
func (r *release) writeGoModule(ctx context.Context, folder string) error {
	listed, err := r.git(ctx, "ls-files", "-z", "--", goClientFolder)
	if err != nil {
		return err
	}
	var paths []string
	for path := range strings.SplitSeq(strings.TrimRight(listed, "\x00"), "\x00") {
		paths = append(paths, strings.TrimPrefix(path, goClientFolder+"/"))
	}
	files, err := goproxy.Files(filepath.Join(r.root, goClientFolder), paths)
	if err != nil {
		return err
	}
	return goproxy.Write(filepath.Join(folder, proxyFolder), "v"+semanticVersion(r.version), r.at, files)
}
