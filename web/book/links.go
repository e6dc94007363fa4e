package book

import (
	"io/fs"
	"net/url"
	"path"
	"strings"
)

// address returns the URL on the site for a link in a file. It is empty if only the repository has the target.
func (b *Book) address(file, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	if u.IsAbs() || u.Host != "" || u.Path == "" {
		return link
	}
	target := path.Join(path.Dir(file), u.Path)
	to := ""
	switch target {
	case "../openapi/auth.yaml":
		to = reference(b.origins.Auth)
	case "../openapi/messaging.yaml":
		to = reference(b.origins.Messaging)
	default:
		to = b.page(target)
	}
	if to != "" && u.Fragment != "" {
		to += "#" + u.Fragment
	}
	return to
}

func reference(origin string) string {
	if origin == "" {
		return ""
	}
	return origin + Home + "/reference"
}

// page returns the path of the page of a file, or of a directory that has contents.
func (b *Book) page(file string) string {
	if path.Ext(file) != ".md" {
		file = path.Join(file, contentsFile)
	}
	if !fs.ValidPath(file) {
		return ""
	}
	if _, err := fs.Stat(b.files, file); err != nil {
		return ""
	}
	name := strings.TrimSuffix(file, ".md")
	if path.Base(file) == contentsFile {
		name = path.Dir(file)
	}
	return path.Join(Home, name)
}
