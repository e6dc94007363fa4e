package media

import "net/url"

// FileName returns the name of a file that a server sends with a header, from a path, and with a type.
func FileName(disposition, path, kind string) string {
	return withExtension(fileName(disposition, &url.URL{Path: path}), kind)
}
