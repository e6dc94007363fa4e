package batch_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	unicode16 "unicode/utf16"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/batch"
	"example.com/griot/internal/phone"
)

// file writes a file of recipients.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rowsOf reads a file as "line: column=value …", with its errors.
func rowsOf(t *testing.T, path string) (rows []string, err error) {
	t.Helper()
	s, err := batch.Open(path)
	if err != nil {
		return nil, err
	}
	for row, err := range s.Rows() {
		if bad, ok := errors.AsType[*batch.RowError](err); ok {
			rows = append(rows, bad.Error())
			continue
		}
		if err != nil {
			return rows, err
		}
		rows = append(rows, fmt.Sprintf("%d: to=%s name=%s", row.Line, row.Values["to"], row.Values["name"]))
	}
	return rows, nil
}

// utf16 encodes a text like Windows programs.
func utf16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range unicode16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func TestSource_Formats(t *testing.T) {
	for _, tt := range []struct{ what, name, content, want string }{
		{"commas", "a.csv", "to,name\n+1,Awa\n+2,\"B, C\"\n", "2: to=+1 name=Awa|3: to=+2 name=B, C"},
		{"semicolons, a mark, CRLF, and lines of separators", "a.csv", "\ufeffto;name\r\n+1;Awa\r\n;\r\n\r\n+2; Moussa \r\n;\r\n", "2: to=+1 name=Awa|5: to=+2 name=Moussa"},
		{"tabs, without a name that says it", "people", "to\tname\n+1\tAwa", "2: to=+1 name=Awa"},
		{"a cell of two lines", "a.csv", "to,name\n+1,\"A\nwa\"\n+2,B\n", "2: to=+1 name=A\nwa|4: to=+2 name=B"},
		{"a head only", "a.csv", "to,name\n", ""},
		{"JSON lines", "a.jsonl", "{\"to\":\"+1\",\"name\":\"Awa\"}\n\n{\"to\":22376000001,\"name\":null}\n", "1: to=+1 name=Awa|3: to=22376000001 name="},
		{"JSON lines, without a name that says it", "people", `{"to":"+1","name":true}`, "1: to=+1 name=true"},
		{"cells", "a.csv", "to,name\n+1\n+2,B,C\n+3,D\n", "line 2: it has 1 cells, but the first line names 2 columns|line 3: it has 3 cells, but the first line names 2 columns|4: to=+3 name=D"},
		{"quotes", "a.csv", "to,name\n+1,A\"wa\n+2,B\n", "line 2: an unquoted cell contains a quote: put the cell in quotes, and write \"\" for each quote in it|3: to=+2 name=B"},
		{"Windows-1252, as Excel saves CSV", "a.csv", "sep=;\r\nto;name\r\n+1;Zo\xe9\r\n+2;\x8cdipe \x80\r\n", "3: to=+1 name=Zoé|4: to=+2 name=Œdipe €"},
		{"UTF-16 with tabs, as Excel saves Unicode text", "a.txt", utf16("\ufeffto\tname\r\n+1\tZoé 😀\r\n", binary.LittleEndian), "2: to=+1 name=Zoé 😀"},
		{"UTF-16, big-endian", "a.csv", utf16("\ufeffto,name\n+1,Zoé\n", binary.BigEndian), "2: to=+1 name=Zoé"},
		{"UTF-16 without a mark", "a.csv", utf16("to,name\n+1,Zoé\n", binary.LittleEndian), "2: to=+1 name=Zoé"},
		{"JSON lines in UTF-16", "a.jsonl", utf16("\ufeff{\"to\":\"+1\",\"name\":\"Zoé\"}\n", binary.LittleEndian), "1: to=+1 name=Zoé"},
		{"a row that is not UTF-16", "a.csv", utf16("\ufeffto,name\n+1,", binary.LittleEndian) + "\x00\xd8" + utf16("\n+2,B\n", binary.LittleEndian), "line 2: it is not UTF-16|3: to=+2 name=B"},
		{"the separator that the first line names", "a.csv", "sep=;\nto;name,first\n+1;Awa\n", "3: to=+1 name="},
		{"the same in quotes, with a tab", "a.csv", "\ufeff\"sep=\t\"\nto\tname\n+1\tAwa\n", "3: to=+1 name=Awa"},
		{"a mistake behind the line that names the separator", "a.csv", "sep=,\nto,name\n+1\n", "line 3: it has 1 cells, but the first line names 2 columns"},
		{"one row that is not UTF-8 in a file that is", "a.csv", "to,name\n+1,A\xe9\n+2,Zoé\n", "line 2: it is not UTF-8: save the file as UTF-8 (in Excel: CSV UTF-8)|3: to=+2 name=Zoé"},
		{"neither UTF-8 nor Windows-1252", "a.csv", "to,name\n+1,A\x81\n+2,B\n", "line 2: it is not UTF-8: save the file as UTF-8 (in Excel: CSV UTF-8)|3: to=+2 name=B"},
		{"JSON", "a.jsonl", "[]\n{\"to\":{}}\n{} {}\nnull\n{\"to\":\"+1\"}", "line 1: it is not a JSON object|line 2: \"to\" is neither a text nor a number|line 3: there is text after the JSON object|line 4: it is not a JSON object|5: to=+1 name="},
	} {
		rows, err := rowsOf(t, file(t, tt.name, tt.content))
		if got := strings.Join(rows, "|"); got != tt.want || err != nil {
			t.Errorf("%s: got %q %v\nwant %q", tt.what, got, err, tt.want)
		}
	}
	for want, content := range map[string]string{
		"is empty: its first line":    "",
		"two columns have the name":   "to,name,name\n",
		"are not UTF-8":               "to,pr\x81nom\n",
		"a row has more than 1048576": "to,name\n+1,\"" + strings.Repeat("never closed\n", 200_000),
	} {
		if rows, err := rowsOf(t, file(t, "a.csv", content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v %v, want an error with %q", rows, err, want)
		}
	}
	if _, err := batch.Open(t.TempDir()); err == nil {
		t.Error("a folder is taken for a file")
	}
}

func TestTemplate(t *testing.T) {
	values := map[string]string{"name": "Awa & <co>", "order": "2041", "empty": ""}
	for _, tt := range []struct{ template, want, problem string }{
		{"Bonjour {{name}}, {{ order }}.", "Bonjour Awa & <co>, 2041.", ""},
		{"{{empty|ami}}{{absent|}}", "ami", ""},
		{"a } b }} c", "a } b }} c", ""},
		{"", "", ""},
		{"{{empty}}", "", `"empty" is empty`},
		{"{{absent}}", "", `"absent" is empty`},
		{"{{name", "", "not closed"},
		{"{{}}", "", "the name of a column"},
		{"{{ |x}}", "", "the name of a column"},
		{"{{{name}}}", "", "the name of a column"},
	} {
		tmpl, err := batch.ParseTemplate(tt.template)
		got := ""
		if err == nil {
			got, err = tmpl.Render(values, nil)
		}
		if got != tt.want || (err != nil) != (tt.problem != "") || err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%q: got %q %v, want %q %q", tt.template, got, err, tt.want, tt.problem)
		}
	}
}

// fakeService responds to batches according to a function of a message's attempts, and counts the accepted messages by
// key.
type fakeService struct {
	mu       sync.Mutex
	answer   func(to string, try int) (code string) // "": accepted
	envelope func(request int) (status int, retryAfter string)
	expired  bool // its earlier accepted messages are EXPIRED, and it repeats them like release 0.1.0
	requests int
	tries    map[string]int
	sent     map[string]string // by key: to and text
	order    []string
}

func (f *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []griot.Message }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.envelope != nil {
		if status, after := f.envelope(f.requests); status != 0 {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"success":false,"code":"rate_limited","error":"rate_limited","message":"Too many."}`)
			return
		}
	}
	out := griot.BatchResult{}
	for i := range in.Messages {
		m := &in.Messages[i]
		item := griot.BatchItem{Index: i}
		f.tries[m.To]++
		_, known := f.sent[m.IdempotencyKey]
		switch code := f.answer(m.To, f.tries[m.To]); {
		case known:
			item.Success, item.Deduplicated = true, true
			if f.expired {
				item.Status = griot.Expired
			}
		case m.To == "": // a question
			item.HTTPStatus, item.Code, item.Field = http.StatusBadRequest, "invalid_request", "to"
			f.tries[m.To]--
		case code != "":
			item.Code, item.Message, item.MessageID = code, "No: "+code+".", "msg_"+m.To
		default:
			item.Success = true
			f.sent[m.IdempotencyKey] = m.To + " " + m.Text + " " + m.Metadata["batch"]
			f.order = append(f.order, m.To)
		}
		out.Results = append(out.Results, item)
	}
	_ = json.NewEncoder(w).Encode(out)
}

func newFakeService(t *testing.T) (*fakeService, *griot.Client) {
	t.Helper()
	f := &fakeService{answer: func(string, int) string { return "" }, tries: map[string]int{}, sent: map[string]string{}}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	api, err := griot.New(srv.URL, "svc_live_x", griot.Options{Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	return f, api
}

// values returns the sent messages, sorted.
func (f *fakeService) values() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, v := range f.sent {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

func sms(text string) *batch.Message {
	return &batch.Message{Base: griot.Message{Channel: griot.SMS}, Text: text}
}

// check plans a batch, and returns the rows that can't be sent.
func check(t *testing.T, path string, m *batch.Message, name string) (plan *batch.Plan, bad []string, err error) {
	t.Helper()
	s, err := batch.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err = batch.Check(s, m, name, func(e *batch.RowError) error {
		bad = append(bad, e.Error())
		return nil
	})
	return plan, bad, err
}

// All errors of a file are reported before anything is sent, without personal data from the file.
func TestCheck_NamesEveryBadRow(t *testing.T) {
	path := file(t, "a.csv", "to,name\n+22376000001,Awa\n22376000002,B\n,C\n+22376000003,\n12,D\nawa@example.com,E\n+22376000001,F\n")
	plan, bad, err := check(t, path, sms("Bonjour {{name}}"), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`line 3: "to" has no +`, `line 4: "to" is empty`, `line 5: "name" is empty`, `line 6: "to" isn't a phone number`, `line 7: "to" can't be used with the channel sms`}
	if len(bad) != len(want) || plan.Bad != len(want) || plan.Rows != 2 || plan.Repeated != 1 {
		t.Fatalf("got %q, %d rows, %d repeated; want %q", bad, plan.Rows, plan.Repeated, want)
	}
	for i := range want {
		if !strings.HasPrefix(bad[i], want[i]) || strings.Contains(bad[i], "22376000002") {
			t.Errorf("got %q, want %q", bad[i], want[i])
		}
	}
	if _, err := batch.Run(t.Context(), plan, batch.Options{}); err == nil {
		t.Error("a plan with bad rows runs")
	}
	_, _, err = check(t, path, &batch.Message{To: "phone", Text: "{{name}} {{order}}", Variables: map[string]string{"x": "{{city}}"}}, "")
	if err == nil || !strings.Contains(err.Error(), `no column "city", "order", "phone": it has to, name`) {
		t.Errorf("got %v, want that city, order, and phone are missing", err)
	}
	region, _ := phone.ParseRegion("ML")
	if plan, bad, err := check(t, file(t, "b.csv", "to\n76000001\n22376000002\n+33612345678\n"), &batch.Message{Text: "x", Region: &region}, ""); err != nil || len(bad) != 0 || plan.First.To != "+22376000001" || plan.First.Channel != griot.Auto {
		t.Errorf("with a country: got %v %v %v", plan, bad, err)
	}
	if plan, bad, err := check(t, file(t, "b.csv", "to\n\u202a+44 (0)7911\u2011123456\u202c\n＋٢٢٣٧٦٠٠٠٠٠١\n"), sms("x"), ""); err != nil || len(bad) != 0 || plan.First.To != "+447911123456" || plan.Rows != 2 {
		t.Errorf("pasted numbers: got %v %v %v", plan, bad, err)
	}
	if _, _, err := check(t, file(t, "b.csv", "to\n"), sms("x"), ""); err == nil {
		t.Error("a file without rows is no mistake")
	}
}

func TestCheck_GroupsByCost(t *testing.T) {
	path := file(t, "a.jsonl", `{"to":"+22376000001","name":"Awa"}
{"to":"+22376000002","name":"Awa Diallo"}
{"to":"+22376000003","name":"Жанна"}
{"to":"+22376000004","name":"`+strings.Repeat("x", 200)+`"}
{"to":"awa@example.com","name":"Awa"}
`)
	plan, _, err := check(t, path, &batch.Message{Text: "Bonjour {{name}}"}, "march")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range plan.Groups {
		got = append(got, fmt.Sprintf("%s %s %d: %d, line %d", g.Channel, g.Encoding, g.Segments, g.Rows, g.Line))
	}
	want := []string{"auto GSM-7 1: 2, line 2", "auto UCS-2 1: 1, line 3", "auto GSM-7 2: 1, line 4", "email  0: 1, line 5"}
	if !slices.Equal(got, want) || plan.Segments() != 5 || plan.Name != "march" {
		t.Errorf("got %q, %d SMS; want %q, 5", got, plan.Segments(), want)
	}
}

// A report doesn't overwrite a file that isn't a report.
func TestNewReport_KeepsWhatIsNoReport(t *testing.T) {
	path := file(t, "a.csv", "to\n+22376000001\n")
	s, err := batch.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	report := file(t, "r.csv", "to,griot_line,griot_code,griot_reason,griot_message\n")
	for at, fine := range map[string]bool{"": true, report: true, path: false, file(t, "b.csv", "to\n"): false, t.TempDir(): false, file(t, "empty.csv", ""): true} {
		if _, err := batch.NewReport(s, at); (err == nil) != fine {
			t.Errorf("%q: got %v, want that it is taken: %v", at, err, fine)
		}
	}
}

// FuzzRows checks that reading any file ends, and that the line numbers of its rows increase.
func FuzzRows(f *testing.F) {
	f.Add("a.csv", []byte("to,name\n+1,Awa\n+2,\"B, C\"\n"))
	f.Add("a.csv", []byte("\ufeffto;name\r\n\"+1;Awa\r\n"))
	f.Add("a.jsonl", []byte("{\"to\":\"+1\"}\n{\"to\":{}}\n[]"))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		ext := ".csv"
		if strings.HasSuffix(name, "l") {
			ext = ".jsonl"
		}
		path := filepath.Join(t.TempDir(), "a"+ext)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := batch.Open(path)
		if err != nil {
			return
		}
		last := 0
		for row, err := range s.Rows() {
			if _, ok := errors.AsType[*batch.RowError](err); err != nil && !ok {
				return
			}
			if row.Line < last {
				t.Fatalf("line %d comes after line %d", row.Line, last)
			}
			last = row.Line
		}
	})
}

// FuzzTemplate checks that a template is refused or rendered, and that a template without
// placeholders renders as its text.
func FuzzTemplate(f *testing.F) {
	f.Add("Bonjour {{name|ami}} }}", "Awa")
	f.Fuzz(func(t *testing.T, s, value string) {
		tmpl, err := batch.ParseTemplate(s)
		if err != nil {
			return
		}
		values := map[string]string{}
		for _, c := range tmpl.Columns() {
			values[c] = value
		}
		got, err := tmpl.Render(values, nil)
		if len(values) == 0 && (err != nil || got != s) {
			t.Errorf("%q is rendered as %q, %v", s, got, err)
		}
		if value != "" && err != nil {
			t.Errorf("%q: %v", s, err)
		}
	})
}
