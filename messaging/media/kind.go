package media

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Types that are determined in more than one way.
const (
	typeText   = "text/plain"
	typeZip    = "application/zip"
	typeBytes  = "application/octet-stream"
	typeMP4    = "video/mp4"
	typeM4A    = "audio/mp4"
	typeOLE    = "application/x-ole-storage"
	typeWord   = "application/msword"
	typeExcel  = "application/vnd.ms-excel"
	typeSlides = "application/vnd.ms-powerpoint"
	openXML    = "application/vnd.openxmlformats-officedocument."
	typeDOCX   = openXML + "wordprocessingml.document"
	typeXLSX   = openXML + "spreadsheetml.sheet"
	typePPTX   = openXML + "presentationml.presentation"
)

const sniffSize = 512

// KindOf determines a type from the bytes. If they allow several types, the file name decides, or otherwise the type
// that the server declared.
func KindOf(data []byte, name, declared string) string {
	found, _, _ := strings.Cut(http.DetectContentType(data[:min(len(data), sniffSize)]), ";")
	switch {
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return oleKind(data, name, declared)
	case bytes.HasPrefix(data, []byte("OggS")):
		return oggKind(data, name, declared)
	case found == typeZip:
		return zipKind(data, name, declared)
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return boxKind(string(data[8:12]), name, declared)
	case bytes.HasPrefix(data, []byte("#!AMR-WB\n")):
		return "audio/amr-wb"
	case bytes.HasPrefix(data, []byte("#!AMR\n")):
		return "audio/amr"
	case isFrame(data):
		return frameKind(data[1])
	case bytes.HasPrefix(data, []byte("ADIF")):
		return "audio/aac"
	case strings.HasPrefix(found, "text/"):
		return textKind(found, name, declared)
	case found == typeBytes:
		return sameKind(name, declared)
	}
	return found
}

// sameKind returns the type of bytes without a signature, such as a recording that starts with padding, if the file
// name and the declared type agree.
func sameKind(name, declared string) string {
	kind := oneOf(map[string]string{".mp3": "audio/mpeg", ".aac": "audio/aac", ".amr": "audio/amr", ".m4a": typeM4A, ".mp4": typeMP4, ".3gp": "video/3gpp"}, name, "", typeBytes)
	if word, _, err := mime.ParseMediaType(declared); err != nil || word != kind {
		return typeBytes
	}
	return kind
}

// oneOf returns the type in byName that matches the file name or the declared type, or otherwise if there is none.
func oneOf(byName map[string]string, name, declared, otherwise string) string {
	if kind, ok := byName[strings.ToLower(path.Ext(name))]; ok {
		return kind
	}
	word, _, err := mime.ParseMediaType(declared)
	for _, kind := range byName {
		if err == nil && kind == word {
			return kind
		}
	}
	return otherwise
}

// oleKind returns the type of an older Office file, by the name of a stream in it.
func oleKind(data []byte, name, declared string) string {
	for stream, kind := range map[string]string{"WordDocument": typeWord, "Workbook": typeExcel, "PowerPoint Document": typeSlides} {
		wide := make([]byte, 0, 2*len(stream))
		for _, c := range []byte(stream) {
			wide = append(wide, c, 0) // names are in UTF-16
		}
		if bytes.Contains(data, wide) {
			return kind
		}
	}
	return oneOf(map[string]string{".doc": typeWord, ".xls": typeExcel, ".ppt": typeSlides}, name, declared, typeOLE)
}

// oggKind returns the type of an Ogg file by its codec, which the first page names.
func oggKind(data []byte, name, declared string) string {
	page := data[:min(len(data), sniffSize)]
	switch {
	case bytes.Contains(page, []byte("OpusHead")):
		return "audio/ogg"
	case bytes.Contains(page, []byte("\x80theora")):
		return "video/ogg"
	case bytes.Contains(page, []byte("\x01vorbis")):
		return "audio/vorbis"
	}
	return oneOf(map[string]string{".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".ogv": "video/ogg"}, name, declared, "application/ogg")
}

// zipType is a type that an archive can have. Others have their own first bytes, so an archive with their name isn't one.
var zipType = regexp.MustCompile(`\Aapplication/(?:[a-z0-9.-]*\+zip|vnd\.[a-z0-9.+-]{1,100}|x-[a-z0-9.+-]{1,100})`)

// zipKind returns the type of an archive by the names of its files, and by the type that OpenDocument and EPUB store first.
func zipKind(data []byte, name, declared string) string {
	const first = "mimetype" // at byte 30, uncompressed, and therefore followed by its content
	if len(data) > 38 && string(data[30:38]) == first && data[8] == 0 && data[9] == 0 {
		if kind := zipType.FindString(string(data[38:min(len(data), 160)])); kind != "" {
			return kind
		}
	}
	kind, at := "", len(data) // of the part that comes first, because another file might be nested in this one
	if bytes.Contains(data, []byte("[Content_Types].xml")) {
		for part, of := range map[string]string{"word/document.xml": typeDOCX, "xl/workbook.xml": typeXLSX, "ppt/presentation.xml": typePPTX} {
			if i := bytes.Index(data, []byte(part)); i >= 0 && i < at {
				kind, at = of, i
			}
		}
	}
	if kind != "" {
		return kind
	}
	return oneOf(map[string]string{".docx": typeDOCX, ".xlsx": typeXLSX, ".pptx": typePPTX}, name, declared, typeZip)
}

// boxKind returns the type of a file in the ISO base media format (ISO/IEC 14496-12), by its brand.
func boxKind(brand, name, declared string) string {
	switch {
	case brand == "M4A " || brand == "M4B ":
		return typeM4A
	case strings.HasPrefix(brand, "3gp") || strings.HasPrefix(brand, "3g2"):
		return "video/3gpp"
	case brand == "qt  ":
		return "video/quicktime"
	case brand == "avif" || brand == "avis":
		return "image/avif"
	case slices.Contains([]string{"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"}, brand):
		return "image/heic"
	}
	return oneOf(map[string]string{".m4a": typeM4A, ".mp4": typeMP4, ".m4v": typeMP4}, name, declared, typeMP4)
}

// isFrame reports whether data starts with a frame of MPEG audio: eleven set bits, and a valid version and layer.
func isFrame(data []byte) bool {
	return len(data) >= 4 && data[0] == 0xff && (data[1]&0xf6 == 0xf0 || data[1]&0xe0 == 0xe0 && data[1]&0x18 != 0x08 && (data[1]&0x06 == 0x02 || data[1]&0x06 == 0x04) && data[2]&0xf0 != 0xf0)
}

// frameKind distinguishes AAC, whose layer is 0, from MP3.
func frameKind(b byte) string {
	if b&0xf6 == 0xf0 {
		return "audio/aac"
	}
	return "audio/mpeg"
}

// textKind returns the type of a text.
func textKind(found, name, declared string) string {
	if found != typeText && found != "text/xml" {
		return found
	}
	return oneOf(map[string]string{
		".txt": typeText, ".csv": "text/csv", ".vcf": "text/vcard", ".ics": "text/calendar", ".md": "text/markdown", ".json": "application/json",
		".xml": "text/xml", ".svg": "image/svg+xml", ".html": "text/html", ".htm": "text/html", ".rtf": "application/rtf",
	}, name, declared, found)
}
