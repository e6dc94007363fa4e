package media_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/messaging/media"
)

// zipped returns an archive of empty files. The first is uncompressed, like the type in OpenDocument.
func zipped(t *testing.T, first string, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if first != "" {
		f, err := w.CreateHeader(&zip.FileHeader{Name: "mimetype", Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write([]byte(first))
	}
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write([]byte("<x/>"))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func utf16(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteByte(c)
		b.WriteByte(0)
	}
	return b.String()
}

func box(brand string) string {
	return "\x00\x00\x00\x18ftyp" + brand + "\x00\x00\x02\x00" + brand + "isom"
}

// The bytes determine the type. If they allow several, the file name decides, and then the declared type.
// Rules: M29.
func TestFetch_Types(t *testing.T) {
	t.Parallel()
	const (
		office = "application/vnd.openxmlformats-officedocument."
		ole    = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "........"
		ogg    = "OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13"
		octets = "application/octet-stream"
	)
	word, excel, slides := zipped(t, "", "[Content_Types].xml", "word/document.xml"), zipped(t, "", "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), zipped(t, "", "[Content_Types].xml", "ppt/presentation.xml")
	for name, tt := range map[string]struct{ path, data, declared, want string }{
		"png":                               {"/a.png", "\x89PNG\r\n\x1a\n....", "image/png", "image/png"},
		"png that is said to be jpg":        {"/a.jpg", "\x89PNG\r\n\x1a\n....", "image/jpeg", "image/png"},
		"jpeg":                              {"/a", "\xff\xd8\xff\xe0....", "", "image/jpeg"},
		"webp":                              {"/a.webp", "RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp", "image/webp"},
		"heic":                              {"/a.heic", box("heic"), octets, "image/heic"},
		"pdf":                               {"/a", "%PDF-1.7 ...", octets, "application/pdf"},
		"archive that is said to be a png":  {"/a.png", zipped(t, "image/png", "a"), "image/png", "application/zip"},
		"archive that is said to be a pdf":  {"/a.pdf", zipped(t, "application/pdf", "a"), "application/pdf", "application/zip"},
		"html that is said to be a picture": {"/a.png", "<!DOCTYPE html><html>", "image/png", "text/html"},
		"text that is said to be a picture": {"/a.png", "bonjour", "image/png", "text/plain"},
		"docx":                              {"/a.docx", word, octets, office + "wordprocessingml.document"},
		"docx by its inside":                {"/download", word, "application/zip", office + "wordprocessingml.document"},
		"xlsx":                              {"/a.xlsx?x=1", excel, "", office + "spreadsheetml.sheet"},
		"pptx":                              {"/a", slides, "", office + "presentationml.presentation"},
		"docx that is said to be xlsx":      {"/a.xlsx", word, office + "spreadsheetml.sheet", office + "wordprocessingml.document"},
		"odt":                               {"/a", zipped(t, "application/vnd.oasis.opendocument.text", "content.xml"), "", "application/vnd.oasis.opendocument.text"},
		"epub":                              {"/a", zipped(t, "application/epub+zip", "a.xml"), "", "application/epub+zip"},
		"zip":                               {"/a.zip", zipped(t, "", "a.txt"), "", "application/zip"},
		"zip whose name says docx":          {"/a.docx", zipped(t, "", "a.txt"), octets, office + "wordprocessingml.document"},
		"zip that is said to be xlsx":       {"/a", zipped(t, "", "a.txt"), office + "spreadsheetml.sheet", office + "spreadsheetml.sheet"},
		"zip that is said to be a picture":  {"/a.png", zipped(t, "", "a.txt"), "image/png", "application/zip"},
		"xlsx with a docx in it":            {"/a", strings.Replace(excel, "xl/workbook.xml", "xl/workbook.xml word/document.xml", 1), "", office + "spreadsheetml.sheet"},
		"nonsense in mimetype":              {"/a", zipped(t, "a b\r\nc", "a.txt"), "", "application/zip"},
		"doc":                               {"/a", ole + utf16("WordDocument"), "", "application/msword"},
		"xls":                               {"/a", ole + utf16("Workbook"), "", "application/vnd.ms-excel"},
		"ppt":                               {"/a", ole + utf16("PowerPoint Document"), "", "application/vnd.ms-powerpoint"},
		"doc by its name":                   {"/a.doc", ole, octets, "application/msword"},
		"xls by the server's word":          {"/a", ole, "application/vnd.ms-excel; charset=x", "application/vnd.ms-excel"},
		"ole of something":                  {"/a.msi", ole, octets, "application/x-ole-storage"},
		"ole that is said to be a picture":  {"/a.png", ole, "image/png", "application/x-ole-storage"},
		"opus":                              {"/a.ogg", ogg + "OpusHead\x01", "application/ogg", "audio/ogg"},
		"vorbis":                            {"/a.ogg", ogg + "\x01vorbis\x00", "audio/ogg", "audio/vorbis"},
		"theora":                            {"/a.ogv", ogg + "\x80theora\x03", "", "video/ogg"},
		"ogg of something":                  {"/a", ogg, octets, "application/ogg"},
		"ogg by its name":                   {"/a.opus", ogg, octets, "audio/ogg"},
		"ogg by the server's word":          {"/a", ogg, "audio/ogg; codecs=opus", "audio/ogg"},
		"aac with another header":           {"/a", "ADIF\x00\x01\x02", octets, "audio/aac"},
		"mp3 behind padding":                {"/a.mp3", "\x00\x00\x00\x00\x01", "audio/mpeg", "audio/mpeg"},
		"mp4 without its first box":         {"/a.mp4", "\x00\x00\x00\x08wide\x00\x01", "video/mp4", "video/mp4"},
		"bytes with a name alone":           {"/a.mp3", "\x00\x00\x00\x00\x01", octets, octets},
		"amr":                               {"/a", "#!AMR\n....", octets, "audio/amr"},
		"amr-wb":                            {"/a.amr", "#!AMR-WB\n....", "audio/amr", "audio/amr-wb"},
		"aac":                               {"/a", "\xff\xf1\x50\x80....", octets, "audio/aac"},
		"mp3 with a tag":                    {"/a", "ID3\x03....", "", "audio/mpeg"},
		"mp3 without one":                   {"/a", "\xff\xfb\x90\x44....", octets, "audio/mpeg"},
		"m4a":                               {"/a", box("M4A "), "", "audio/mp4"},
		"m4a in a general box":              {"/a.m4a", box("mp42"), "", "audio/mp4"},
		"m4a by the server's word":          {"/a", box("isom"), "audio/mp4", "audio/mp4"},
		"mp4":                               {"/a.mp4", box("isom"), "", "video/mp4"},
		"mp4 that is said to be a sound":    {"/a.mp4", box("isom"), "audio/mp4", "video/mp4"},
		"3gp":                               {"/a", box("3gp5"), "video/mp4", "video/3gpp"},
		"quicktime":                         {"/a.mp4", box("qt  "), "video/mp4", "video/quicktime"},
		"text in UTF-16":                    {"/a.txt", "\xff\xfea\x00b\x00", "", "text/plain"},
		"csv":                               {"/a.csv", "nom;prix\nmil;200\n", octets, "text/csv"},
		"csv by the server's word":          {"/a", "nom;prix\nmil;200\n", "text/csv; charset=utf-8", "text/csv"},
		"vcard":                             {"/a.vcf", "BEGIN:VCARD\n", "text/plain", "text/vcard"},
		"svg":                               {"/a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", "", "image/svg+xml"},
		"text":                              {"/a.txt", "bonjour", "", "text/plain"},
		"text with a name of its own":       {"/a.b", "bonjour", "text/x-b", "text/plain"},
		"bytes":                             {"/a.docx", "\x00\x01\x02\x03", "application/msword", octets},
		"nothing":                           {"/a.png", "", "image/png", "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.declared != "" {
					w.Header().Set("Content-Type", tt.declared)
				}
				_, _ = w.Write([]byte(tt.data))
			}))
			t.Cleanup(srv.Close)
			m, err := media.New(srv.Client(), func() time.Time { return time.Unix(0, 0) }).Fetch(t.Context(), srv.URL+tt.path)
			if err != nil {
				t.Fatal(err)
			}
			if m.MIMEType != tt.want {
				t.Errorf("%s said to be %q is %s, want %s", tt.path, tt.declared, m.MIMEType, tt.want)
			}
		})
	}
}
