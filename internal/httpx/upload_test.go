package httpx_test

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/internal/httpx"
)

// uploaded responds with the content of a form: its name, and the size of the kept part of its file.
func uploaded(t *testing.T, most int64) http.Handler {
	t.Helper()
	a := newAPI(io.Discard)
	return a.Handler([]httpx.Route{{Method: "POST", Path: "/", Access: httpx.Anyone, Handler: a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		in, file, err := a.ReadUpload(w, r, most)
		if err != nil {
			return err
		}
		kept := "none"
		if file != nil {
			kept = strconv.Itoa(len(file))
		}
		return httpx.WriteJSON(w, http.StatusOK, map[string]string{"text": in.Get("name"), "code": kept})
	})}})
}

// part returns a part of a form; head is the text after the field's name.
func part(name, head, value string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"" + head + "\r\n\r\n" + value + "\r\n"
}

// fields returns n fields with different names.
func fields(n int) (all string) {
	for i := range n {
		all += part(strconv.Itoa(i), "", "")
	}
	return all
}

// Rules: L198.
func TestReadUpload(t *testing.T) {
	t.Parallel()
	const file, end = `; filename="a.png"`, "--x--\r\n"
	name := part("name", "", "Kalabash é")
	h := uploaded(t, 1000)
	for what, tt := range map[string]struct {
		body         string
		status       int
		text, result string
	}{
		"a file":                             {name + part("logo", file, strings.Repeat("a", 1000)) + end, 200, "Kalabash é", "1000"},
		"a file before the fields":           {part("logo", file, "\x00\xff") + name + end, 200, "Kalabash é", "2"},
		"a file that is too large":           {part("logo", file, strings.Repeat("a", 3<<20)) + name + end, 200, "Kalabash é", "1001"},
		"an empty file":                      {name + part("logo", file, "") + end, 200, "Kalabash é", "0"},
		"no file was chosen":                 {name + part("logo", `; filename=""`, "") + end, 200, "Kalabash é", "none"},
		"a text instead of the file":         {name + part("logo", "", "text") + end, 200, "Kalabash é", "none"},
		"nothing":                            {end, 200, "", "none"},
		"two files":                          {part("logo", file, "a") + part("logo", file, "b") + end, 400, "", "invalid_request"},
		"a field twice":                      {name + name + end, 400, "", "invalid_request"},
		"bytes that are no text":             {part("name", "", "\xff") + end, 400, "", "invalid_request"},
		"a form that is cut off":             {name + part("logo", file, "a"), 400, "", "invalid_request"},
		"a file that is cut off":             {name + "--x\r\nContent-Disposition: form-data; name=\"logo\"" + file + "\r\n\r\nabc", 400, "", "invalid_request"},
		"no form":                            {"name=a", 400, "", "invalid_request"},
		"a text that is too long":            {part("name", "", strings.Repeat("a", 64<<10)) + end, 413, "", "payload_too_large"},
		"texts that are too long":            {part("name", "", strings.Repeat("a", 40<<10)) + part("b", "", strings.Repeat("a", 40<<10)) + end, 413, "", "payload_too_large"},
		"100 fields":                         {name + fields(99) + end, 200, "Kalabash é", "none"},
		"101 fields":                         {name + fields(100) + end, 413, "", "payload_too_large"},
		"fields of nothing":                  {strings.Repeat(part("", "", ""), 101) + end, 413, "", "payload_too_large"},
		"files of nothing":                   {strings.Repeat(part("", `; filename="a"`, ""), 101) + end, 413, "", "payload_too_large"},
		"headers of nothing":                 {"--x\r\n" + strings.Repeat("a: \r\n", 9000) + "Content-Disposition: form-data; name=\"" + strings.Repeat("n", 64<<10) + "\"\r\n\r\na\r\n" + end, 413, "", "payload_too_large"},
		"lines before the first field":       {strings.Repeat("\n", 1000) + name + end, 400, "", "invalid_request"},
		"dashes before the first field":      {strings.Repeat("--\n", 1000) + name + end, 400, "", "invalid_request"},
		"more than a browser needs to learn": {part("logo", file, strings.Repeat("a", httpx.MaxUpload)) + name + end, 413, "", "payload_too_large"},
	} {
		w, out := do(t, h, "POST", "/", tt.body, "Content-Type: multipart/form-data; boundary=x")
		if w.Code != tt.status || out["code"] != tt.result || tt.status == 200 && out["text"] != tt.text {
			t.Errorf("%s: %d %v; want %d %q %s", what, w.Code, out, tt.status, tt.text, tt.result)
		}
	}
	if w, out := do(t, h, "POST", "/", "name=Kalabash&logo=x", "Content-Type: "+httpx.TypeForm); w.Code != 200 || out["text"] != "Kalabash" || out["code"] != "none" {
		t.Errorf("a form without files: %d %v", w.Code, out)
	}
	for _, typ := range []string{"multipart/form-data", "multipart/form-data; boundary=" + strings.Repeat("b", 100)} {
		if w, _ := do(t, h, "POST", "/", name+end, "Content-Type: "+typ); w.Code != 400 {
			t.Errorf("%s: %d, want 400", typ, w.Code)
		}
	}
}

func FuzzParseUpload(f *testing.F) {
	for _, body := range []string{part("name", "", "a") + "--x--\r\n", part("logo", `; filename="a.png"`, "\x89PNG") + "--x--", "--x--", "--x\r\n\r\n\r\n--x--", part("logo", "; filename*=utf-8''%ff", "a")} {
		f.Add("multipart/form-data; boundary=x", body)
	}
	f.Fuzz(func(t *testing.T, typ, body string) {
		in, file, err := httpx.ParseUpload(&http.Request{Header: http.Header{"Content-Type": {typ}}}, strings.NewReader(body), 100)
		if err != nil {
			if in != nil || file != nil {
				t.Errorf("a form that is refused has %v, %q", in, file)
			}
			return
		}
		if len(file) > 101 || file != nil && len(in) == 0 || len(file) < 101 && !bytes.Contains([]byte(body), file) {
			t.Errorf("%v has the file %q", in, file)
		}
	})
}
