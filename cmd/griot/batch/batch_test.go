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
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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
		{"cells without a column, and rows of nothing", "a.csv", ",,,\n\"\",\"\"\nto,name,,\n+1,Awa,,\n+2,B\n,,,,,\n\u00a0,\u200b\n+3,C,,,,,\u00a0\n+4,D,,,x\n+5,E,note,\n", "4: to=+1 name=Awa|5: to=+2 name=B|8: to=+3 name=C|line 9: it has 5 cells, but the first line names 2 columns|10: to=+5 name=E"},
		{"lines that end in CR", "a.csv", "sep=;\rto;name\r+1;Awa\r\r+2;\"A\rB\"\r", "3: to=+1 name=Awa|5: to=+2 name=A\nB"},
		{"lines that end in CR, in Windows-1252", "a.csv", "to,name\r+1,Zo\xe9\r+2,\"B, \"\"C\"\"\"\r", "2: to=+1 name=Zoé|3: to=+2 name=B, \"C\""},
		{"one line that ends in CR", "a.csv", "to,name\r\n+1,Awa\r+2,B\r\n+3,C\n", "2: to=+1 name=Awa|3: to=+2 name=B|4: to=+3 name=C"},
		{"one column, and CR", "a.csv", "to\n+1\r+2\n", "2: to=+1 name=|3: to=+2 name="},
		{"JSON lines that end in CR", "a.jsonl", "{\"to\":\"+1\"}\r{\"to\":\"+2\"}\r", "1: to=+1 name=|2: to=+2 name="},
		{"separators in quotes", "a.csv", "to;name;\"a,b,c,d\"\n+1;Awa;x\n", "2: to=+1 name=Awa"},
		{"text marks", "a.csv", "to,'name\n+1,'+223\n+2,'0612\n+3,'t Hooft\n+4,'90s\n+5,'=1+1\n+6,'12'\n+7,'\n", "2: to=+1 name=+223|3: to=+2 name=0612|4: to=+3 name='t Hooft|5: to=+4 name='90s|6: to=+5 name==1+1|7: to=+6 name='12'|8: to=+7 name='"},
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
		"columns have the name \"pré": "to,pr\u00e9nom,pre\u0301nom\n",
		"not a text file":             "to,na\x00me\n",
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
	want := []string{`line 3: "to" has no +`, `line 4: "to" is empty`, `line 5: "name" is empty`, `line 6: "to" has no +`, `line 7: "to" can't be used with the channel sms`}
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
	if plan, bad, err := check(t, file(t, "b.csv", "to\n76000001\n22376000002\n+33612345678\n"), &batch.Message{Text: "x", Region: region}, ""); err != nil || len(bad) != 0 || plan.First.To != "+22376000001" || plan.First.Channel != griot.Auto {
		t.Errorf("with a country: got %v %v %v", plan, bad, err)
	}
	for cell, problem := range map[string]string{
		"+22376000001.0": "ends with something", "+22376000001-2": "ends with something", "+22376000001 (2)": "ends with something", "76000001.0": "ends with something", "760000012": "isn't a number of the country: after +223",
		"76000001 / 76000002": "more than one", "+223760000010": "too many or too few digits", "76000001 ext 2": "has characters",
	} {
		_, bad, err := check(t, file(t, "b.csv", "to\n"+cell+"\n"), &batch.Message{Text: "x", Region: region}, "")
		if err != nil || len(bad) != 1 || !strings.HasPrefix(bad[0], `line 2: "to" `) || !strings.Contains(bad[0], problem) {
			t.Errorf("%q: got %v %v, want %q", cell, bad, err, problem)
		}
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

// Files of other programs are refused with the way to a CSV file, and without their content.
func TestOpen_RefusesOtherPrograms(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"a.xlsx", "PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", "this is an Excel workbook, not a CSV file: open it in a spreadsheet program, save the sheet as CSV"},
		{"a.csv", "PK\x03\x04\x14\x00\x06\x00[Content_Types].xml", "this is an Excel workbook"},
		{"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", "this is an Excel workbook"},
		{"a.xls", "\x09\x08\x10\x00\x00\x06\x05\x00", "this is an Excel workbook"},
		{"a.ods", "PK\x03\x04\x14\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "this is an OpenDocument file"},
		{"a", "PK\x03\x04\x14\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "this is an OpenDocument file"},
		{"a.numbers", "PK\x03\x04Index/Document.iwa", "this is a Numbers document"},
		{"a.zip", "PK\x03\x04\x14\x00people.csv", "this is a ZIP archive"},
		{"a.csv.gz", "\x1f\x8b\x08", "this is a compressed file"},
		{"a.pdf", "%PDF-1.7", "this is a PDF file"},
		{"a.rtf", "{\\rtf1", "this is an RTF document"},
		{"a.xls", "\ufeff\n<html><table>", "this is a web page or an XML file"},
		{"a.xml", "<?xml version=\"1.0\"?>", "this is a web page or an XML file"},
		{"a.json", "[{\"to\":\"+22376000001\"}]", "this is a JSON list"},
	} {
		if _, err := batch.Open(file(t, tt.name, tt.content)); err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\x00") {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// The names of columns in templates and in --to-column match those of the file despite other spaces, apostrophes, and
// Unicode forms.
func TestCheck_NamesOfColumns(t *testing.T) {
	for _, name := range []string{"l'année", "l\u2019anne\u0301e", "\u00a0l\u2019anne\u0301e ", "'l`année", "l\u200b'année"} {
		for _, lines := range []bool{false, true} {
			path := file(t, "a.csv", "to  number,"+name+"\n+22376000001,2026\n")
			if lines {
				path = file(t, "a.jsonl", `{"to\u00a0number":"+22376000001","`+strings.TrimPrefix(name, "'")+`":2026}`)
			}
			m := sms("Bonne {{ l’ann\u00e9e }}{{l'année|}}")
			m.To = "to number"
			plan, bad, err := check(t, path, m, "")
			if err != nil || len(bad) != 0 || plan.First.To != "+22376000001" || plan.First.Text != "Bonne 20262026" {
				t.Errorf("%q: got %v %q %v", name, plan, bad, err)
			}
		}
	}
	if _, _, err := check(t, file(t, "a.csv", "to,l'an,l`an\n+22376000001,1,2\n"), sms("{{l’an}}"), ""); err == nil || !strings.Contains(err.Error(), "several columns") {
		t.Errorf("two columns that match: got %v", err)
	}
	if plan, _, err := check(t, file(t, "a.csv", "to,l'an,l`an\n+22376000001,1,2\n"), sms("{{l`an}}"), ""); err != nil || plan.First.Text != "2" {
		t.Errorf("the same name: got %v %v", plan, err)
	}
}

// Recipients as spreadsheets write them are read or refused.
func TestCheck_RecipientsOfSpreadsheets(t *testing.T) {
	for cell, want := range map[string]string{
		"'+22376000001": "+22376000001", "\u2019+223 76 00 00 01": "+22376000001", "'awa@example.com": "awa@example.com", "\u00a0+22376000001\u200b": "+22376000001",
		"(+223) 76000001": "+22376000001", "o'neil@example.com": "o'neil@example.com",
	} {
		plan, bad, err := check(t, file(t, "a.csv", "to,name\n"+cell+",Awa\n"), &batch.Message{Text: "Bonjour"}, "")
		if err != nil || len(bad) != 0 || plan.First.To != want {
			t.Errorf("%q: got %v %q %v, want %q", cell, plan, bad, err, want)
		}
	}
	for _, cell := range []string{"2.23760E+10", "\"2,2376E+10\"", "2E10"} {
		_, bad, err := check(t, file(t, "a.csv", "to,name\n"+cell+",Awa\n"), &batch.Message{Text: "Bonjour"}, "")
		if err != nil || len(bad) != 1 || !strings.Contains(bad[0], "rounded by a spreadsheet") {
			t.Errorf("%q: got %q %v", cell, bad, err)
		}
	}
}

// An export of Griot's messages can be sent as a batch: its numbers are complete, and a person gets a message once.
func TestRun_ExportOfMessages(t *testing.T) {
	const head = "\ufeffmessageId,createdAt,channel,requestedChannel,to,status,source,projectId,senderId,errorCode,attempts,sentAt,deliveredAt,metadata\n"
	f, api := newFakeService(t)
	path := file(t, "griot-logs.csv", head+
		"msg_1,2026-03-01T08:00:00Z,sms,sms,22376000001,FAILED,api,,snd_1,x,1,,,\n"+
		"msg_2,2026-03-01T08:00:00Z,sms,sms,(+223) 76000001,FAILED,api,,snd_1,x,1,,,\n"+
		"msg_3,2026-03-01T08:00:00Z,email,email,'+awa@example.com,SENT,api,,snd_1,,1,,,'+\n")
	m := &batch.Message{Text: "Bonjour"}
	plan, bad, err := check(t, path, m, "")
	if err != nil || len(bad) != 0 || plan.Rows != 3 || plan.Repeated != 1 || plan.Same != 1 {
		t.Fatalf("got %+v %q %v", plan, bad, err)
	}
	res, _, err := run(t, api, path, m, nil)
	if err != nil || res.Accepted != 3 || res.Repeated != 1 || len(f.values()) != 2 || !strings.HasPrefix(f.values()[0], "+22376000001 ") || !strings.HasPrefix(f.values()[1], "+awa@example.com ") {
		t.Errorf("got %+v %v %q", res, err, f.values())
	}
	region, _ := phone.ParseRegion("FR")
	if plan, bad, err := check(t, path, &batch.Message{Text: "x", Region: region}, ""); err != nil || len(bad) != 0 || plan.First.To != "+22376000001" {
		t.Errorf("with a country: got %+v %q %v", plan, bad, err)
	}
}

// FuzzRows checks that reading any file ends, and that the line numbers of its rows increase.
func FuzzRows(f *testing.F) {
	f.Add("a.csv", []byte("to,name\n+1,Awa\n+2,\"B, C\"\n"))
	f.Add("a.csv", []byte("\ufeffto;name\r\n\"+1;Awa\r\n"))
	f.Add("a.jsonl", []byte("{\"to\":\"+1\"}\n{\"to\":{}}\n[]"))
	f.Add("a.csv", []byte("sep=;\r,,\rto;na\u00a0me;;\r'+1;\"A\r\nwa\"\r\r\n;;;"))
	f.Add("a.csv", []byte("\xff\xfet\x00o\x00\r\x00+\x001\x00"))
	f.Add("a.jsonl", []byte("{\"e\u0301\":1}\r{\"\u00e9\":2,\"e\u0301\":3}"))
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
			for column, value := range row.Values {
				if err == nil && (column+value != norm.NFC.String(column)+norm.NFC.String(value) || !utf8.ValidString(column+value)) {
					t.Fatalf("%q is %q", column, value)
				}
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

// FuzzCells checks that a program that saves the same cells in another way doesn't change them, and that they are the
// same batch.
func FuzzCells(f *testing.F) {
	f.Add("Awa", "A; \"B\"", "l\u2019an")
	f.Add("'t Hooft\r\nx", " '=1\u00a0", "Pre\u0301nom,")
	f.Fuzz(func(t *testing.T, first, second, column string) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) || !utf8.ValidString(column) || strings.ContainsAny(first+second+column, "\x00\ufffd\ufeff") {
			return
		}
		save := func(comma rune, eol string, change func(string) string, padding ...string) string {
			var b strings.Builder
			for _, row := range [][]string{{"to", "x" + column, "y"}, {"+22376000001", "x" + first, "y" + second}, {"+22376000002", "x" + second, "y"}} {
				for i, cell := range append(row, padding...) {
					if i > 0 {
						b.WriteRune(comma)
					}
					b.WriteString(`"` + strings.ReplaceAll(change(cell), `"`, `""`) + `"`)
				}
				b.WriteString(eol)
			}
			return b.String()
		}
		same := func(s string) string { return s }
		var names []string
		for _, content := range []string{
			save(',', "\n", same), save(';', "\r\n", norm.NFD.String), save('\t', "\r", same, "", ""), "\ufeff" + save('|', "\n", norm.NFC.String, "") + "|||\n",
		} {
			plan, bad, err := check(t, file(t, "a.csv", content), sms("x"), "")
			if err != nil || len(bad) > 0 || plan.Rows != 2 {
				t.Fatalf("%q: got %v %q", content, err, bad)
			}
			names = append(names, plan.Name)
		}
		if len(slices.Compact(names)) != 1 {
			t.Errorf("%q, %q, %q: the same cells are the batches %q", first, second, column, names)
		}
	})
}
