package batch

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const saveAsCSV = `open it in a spreadsheet program, save the sheet as CSV (in Excel: "CSV UTF-8"), and use that file`

// foreign returns an error for a file that isn't text, which says what to do. start is the beginning of the file.
func foreign(path string, start []byte) error {
	has := func(signatures ...string) bool {
		for _, s := range signatures {
			if bytes.HasPrefix(start, []byte(s)) {
				return true
			}
		}
		return false
	}
	text := strings.ToLower(string(bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), " \t\r\n")))
	ext := strings.ToLower(filepath.Ext(path))
	what := ""
	switch {
	case has("PK\x03\x04", "PK\x05\x06"):
		switch {
		case bytes.Contains(start, []byte("application/vnd.oasis.opendocument.")), ext == ".ods", ext == ".fods":
			what = "an OpenDocument file"
		case bytes.Contains(start, []byte("[Content_Types].xml")), bytes.Contains(start, []byte("_rels/")), bytes.Contains(start, []byte("xl/")), strings.HasPrefix(ext, ".xl"):
			what = "an Excel workbook"
		case ext == ".numbers", bytes.Contains(start, []byte("Index/")):
			what = "a Numbers document"
		default:
			return errors.New("this is a ZIP archive: extract it, and use the CSV file")
		}
	case has("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "\x09\x00\x04\x00", "\x09\x02\x06\x00", "\x09\x04\x06\x00", "\x09\x08\x08\x00", "\x09\x08\x10\x00"):
		what = "an Excel workbook"
	case has("%PDF-"):
		what = "a PDF file"
	case has("{\\rtf"):
		what = "an RTF document"
	case has("\x1f\x8b"):
		return errors.New("this is a compressed file: extract it, and use the CSV file")
	case strings.HasPrefix(text, "<?xml"), strings.HasPrefix(text, "<!doctype"), strings.HasPrefix(text, "<html"), strings.HasPrefix(text, "<table"):
		what = "a web page or an XML file"
	case strings.HasPrefix(text, "[") && strings.HasPrefix(strings.TrimLeft(text[1:], " \t\r\n"), "{"):
		return errors.New("this is a JSON list: write one object per line, without brackets and commas around them (jq -c '.[]' does this)")
	default:
		return nil
	}
	return fmt.Errorf("this is %s, not a CSV file: %s", what, saveAsCSV)
}
