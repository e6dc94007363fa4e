package media

import "net/url"

// FileName is the name of a file that a server sends with a header, from a path, and that is of a type.
func FileName(disposition, path, kind string) string {
	return withExtension(fileName(disposition, &url.URL{Path: path}), kind)
}
