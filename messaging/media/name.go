package media

import (
	"mime"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"example.com/griot/internal/visible"
)

const (
	noName  = "file"
	maxName = 200 // in bytes, of a name and of the added extension
)

// fileName returns the name that a server gives a file (RFC 6266), or the last part of the URL's path, or "file".
func fileName(disposition string, address *url.URL) string {
	if name := cleanName(declaredName(disposition)); name != "" {
		return name
	}
	name := cleanName(path.Base(address.Path))
	switch strings.ToLower(path.Ext(name)) {
	case ".php", ".asp", ".aspx", ".jsp", ".cgi", ".do": // it is the name of the program that generated the file
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	if name == "" {
		return noName
	}
	return name
}

// loose finds the name in a malformed header, such as one with a space and no quotes.
var loose = regexp.MustCompile(`(?i)(?:^|[;\s])filename\s*=\s*"?([^";]*)`)

// declaredName returns the name in a Content-Disposition, or "" if there is none. filename* takes precedence over filename.
func declaredName(disposition string) string {
	name := ""
	if _, params, err := mime.ParseMediaType(disposition); err == nil {
		name = params["filename"]
	} else if found := loose.FindStringSubmatch(disposition); found != nil {
		name = found[1]
	}
	if strings.HasPrefix(name, "=?") { // encoded as in mails
		if text, err := new(mime.WordDecoder).DecodeHeader(name); err == nil {
			name = text
		}
	}
	if utf8.ValidString(name) {
		return name
	}
	latin := make([]rune, len(name)) // ISO 8859-1, the character set of headers before UTF-8
	for i := range len(name) {
		latin[i] = rune(name[i])
	}
	return string(latin)
}

// cleanName returns the last part of a path of any operating system, without invisible characters, and with limited
// length. It returns "" if nothing is left.
func cleanName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = visible.Replace(name, func(rune) string { return "" })
	name = strings.TrimSpace(strings.TrimLeft(name, ". "))
	name = strings.TrimRight(name, ". ")
	if ext := extension(name); len(name) > maxName {
		name = strings.TrimSpace(strings.ToValidUTF8(name[:maxName-len(ext)], "")) + ext
	}
	return name
}

// extension returns the extension of a name. The text after a dot must be a word, unlike in "v1.2" and "No. 7".
func extension(name string) string {
	ext := path.Ext(name)
	if len(ext) < 2 || len(ext) > 6 || strings.Trim(ext[1:], "0123456789") == "" {
		return ""
	}
	for _, c := range ext[1:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return ext
}

// withExtension returns a name with the extension of its type, if it has no extension.
func withExtension(name, kind string) string {
	if extension(name) != "" {
		return name
	}
	return name + extensions()[kind]
}

// extensions returns the extensions of the types that [KindOf] finds. It does not use the operating system's list, which varies.
func extensions() map[string]string {
	return map[string]string{
		"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp", "image/x-icon": ".ico", "image/avif": ".avif", "image/heic": ".heic", "image/svg+xml": ".svg",
		typeMP4: ".mp4", "video/3gpp": ".3gp", "video/webm": ".webm", "video/avi": ".avi", "video/quicktime": ".mov", "video/ogg": ".ogv",
		"audio/mpeg": ".mp3", typeM4A: ".m4a", "audio/aac": ".aac", "audio/amr": ".amr", "audio/amr-wb": ".awb", "audio/ogg": ".ogg", "audio/vorbis": ".ogg", "audio/wave": ".wav",
		"audio/aiff": ".aiff", "audio/midi": ".mid", "application/ogg": ".ogg",
		"application/pdf": ".pdf", "application/postscript": ".ps", "application/rtf": ".rtf",
		typeWord: ".doc", typeExcel: ".xls", typeSlides: ".ppt", typeDOCX: ".docx", typeXLSX: ".xlsx", typePPTX: ".pptx",
		"application/vnd.oasis.opendocument.text": ".odt", "application/vnd.oasis.opendocument.spreadsheet": ".ods", "application/vnd.oasis.opendocument.presentation": ".odp",
		typeText: ".txt", "text/csv": ".csv", "text/markdown": ".md", "text/html": ".html", "text/xml": ".xml", "text/vcard": ".vcf", "text/calendar": ".ics", "application/json": ".json",
		typeZip: ".zip", "application/x-gzip": ".gz", "application/x-rar-compressed": ".rar",
	}
}
