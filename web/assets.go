package web

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const staticPrefix = "/static/"

// assets are the static files by name ("js/waiting.js").
type assets struct {
	byName  map[string]asset
	version string // a hash of all of them
}

// asset is a file as it is sent: plain, and compressed if that makes it smaller.
type asset struct {
	contentType string
	plain       encoded
	gzip        encoded  // without a body if compression doesn't save enough
	imports     []string // names of the files that a script imports, each after its own imports
}

type encoded struct {
	body []byte
	etag string
}

// embeddedAssets loads the files of the binary once, because the services of one process share them.
var embeddedAssets = sync.OnceValues(loadAssets)

func loadAssets() (assets, error) {
	a := assets{byName: map[string]asset{}}
	all := sha256.New()
	z, err := gzip.NewWriterLevel(io.Discard, gzip.BestCompression)
	if err != nil {
		return a, err
	}
	err = fs.WalkDir(files, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		name = strings.TrimPrefix(name, "static/")
		fmt.Fprintf(all, "%s\x00%s", name, sha256.Sum256(body))
		a.byName[name], err = newAsset(z, name, body)
		return err
	})
	if err != nil {
		return a, err
	}
	a.version = hex.EncodeToString(all.Sum(nil))[:12]
	for name, file := range a.byName {
		if file.imports, err = a.needs(name, nil); err != nil {
			return a, err
		}
		a.byName[name] = file
	}
	return a, nil
}

func newAsset(z *gzip.Writer, name string, body []byte) (asset, error) {
	contentType, ok := contentTypeOf(name)
	if !ok {
		return asset{}, fmt.Errorf("%s: no content type for this kind of file", name)
	}
	body = withoutComments(name, body)
	sum := sha256.Sum256(body)
	tag := base64.RawURLEncoding.EncodeToString(sum[:12])
	file := asset{contentType: contentType, plain: encoded{body: body, etag: `"` + tag + `"`}}
	small, err := compress(z, body)
	if err == nil && len(small) < len(body) {
		file.gzip = encoded{body: small, etag: `"` + tag + `-gzip"`} // different bytes need a different tag (RFC 9110 §8.8.3.3)
	}
	return file, err
}

var commentLines = map[string]*regexp.Regexp{
	".js":  regexp.MustCompile(`(?m)^[ \t]*//.*\n`),
	".css": regexp.MustCompile(`(?m)^[ \t]*/\*[^*]*\*/[ \t]*\n`),
}

// withoutComments removes the lines that contain only a comment. They are a tenth of the bytes that a phone loads.
func withoutComments(name string, body []byte) []byte {
	if lines, ok := commentLines[path.Ext(name)]; ok {
		return lines.ReplaceAll(body, nil)
	}
	return body
}

// contentTypeOf returns the content type of a file. It doesn't use the machine's own table of types, which
// is wrong for scripts on some systems.
func contentTypeOf(name string) (contentType string, ok bool) {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8", true
	case ".js":
		return "text/javascript; charset=utf-8", true
	case ".svg":
		return "image/svg+xml", true
	case ".png":
		return "image/png", true
	}
	return "", false
}

var importLine = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?["'](\.{1,2}/[^"']+)["']`)

// needs returns the names of the files that a script imports, directly or indirectly, each once.
func (a assets) needs(name string, known []string) ([]string, error) {
	if path.Ext(name) != ".js" {
		return nil, nil
	}
	for _, match := range importLine.FindAllSubmatch(a.byName[name].plain.body, -1) {
		imported := path.Join(path.Dir(name), string(match[1]))
		if _, ok := a.byName[imported]; !ok {
			return nil, fmt.Errorf("%s imports %s, which is not there", name, imported)
		}
		if slices.Contains(known, imported) {
			continue
		}
		var err error
		if known, err = a.needs(imported, append(known, imported)); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// url returns the URL of a file. It contains the version, so the pages of a new release
// load the files of the new release. A script's relative imports inherit it.
func (a assets) url(name string) (string, error) {
	if _, ok := a.byName[name]; !ok {
		return "", fmt.Errorf("no static file %s", name)
	}
	return staticPrefix + "v-" + a.version + "/" + name, nil
}

// imports returns the URLs of the files that a script imports. A page lists them so that the
// browser loads them immediately. Otherwise it finds each level only after it has read the
// previous one.
func (a assets) imports(name string) ([]string, error) {
	file, ok := a.byName[name]
	if !ok {
		return nil, fmt.Errorf("no static file %s", name)
	}
	urls := make([]string, 0, len(file.imports))
	for _, imported := range file.imports {
		url, err := a.url(imported)
		if err != nil {
			return nil, err
		}
		urls = append(urls, url)
	}
	return urls, nil
}
