package batch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/batch"
)

// run checks a file and sends it.
func run(t *testing.T, api *griot.Client, path string, m *batch.Message, change func(*batch.Options)) (batch.Result, *batch.Report, error) {
	t.Helper()
	return runNamed(t, api, path, m, "", change)
}

// runNamed is like run, with a batch's name.
func runNamed(t *testing.T, api *griot.Client, path string, m *batch.Message, name string, change func(*batch.Options)) (batch.Result, *batch.Report, error) {
	t.Helper()
	s, err := batch.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := batch.Check(s, m, name, func(e *batch.RowError) error { return e })
	if err != nil {
		t.Fatal(err)
	}
	report, err := batch.NewReport(s, "")
	if err == nil {
		err = report.Clear()
	}
	if err != nil {
		t.Fatal(err)
	}
	o := batch.Options{API: api, Report: report, Pause: func(context.Context, time.Duration) error { return nil }}
	if change != nil {
		change(&o)
	}
	res, err := batch.Run(t.Context(), plan, o)
	if closed := report.Close(); closed != nil {
		t.Error(closed)
	}
	return res, report, err
}

// people writes a file with n rows.
func people(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("to,name\n")
	for i := range n {
		fmt.Fprintf(&b, "+2237%07d,Client %d\n", i, i)
	}
	return file(t, "people.csv", b.String())
}

// A run that stops at the quota is continued by the same run. Sent messages are not sent again, and identical rows are
// separate messages.
func TestRun_GoesOnWhereItStopped(t *testing.T) {
	f, api := newFakeService(t)
	path := file(t, "a.csv", "to,name\n"+strings.Repeat("+22376000001,Awa\n", 3)+"+22376000002,Moussa\n")
	quota := 2
	f.answer = func(string, int) string {
		if len(f.sent) >= quota {
			return "quota_exceeded"
		}
		return ""
	}
	res, _, err := run(t, api, path, sms("Bonjour {{name}}"), nil)
	stop, ok := errors.AsType[*batch.StoppedError](err)
	if !ok || stop.Code != "quota_exceeded" || res.Accepted != 2 || res.Done() != 2 || res.Rows != 4 {
		t.Fatalf("got %+v %v, want 2 of 4, stopped at the quota", res, err)
	}
	quota = 100
	res, report, err := run(t, api, path, sms("Bonjour {{name}}"), nil)
	if err != nil || res.Accepted != 4 || res.Repeated != 2 || len(f.values()) != 4 {
		t.Errorf("got %+v %v, want 4 accepted, 2 of them before; %q", res, err, f.values())
	}
	if _, err := os.Stat(report.Path); err == nil {
		t.Error("there is a report of no failures")
	}
	if all := f.values(); !strings.HasPrefix(all[0], "+22376000001 Bonjour Awa ") || all[0] != all[2] || len(strings.Fields(all[0])[3]) != 16 {
		t.Errorf("got %q, want three to Awa, with the batch's name", all)
	}
	if res, _, err := run(t, api, path, sms("Bonsoir {{name}}"), nil); err != nil || res.Repeated != 0 || len(f.values()) != 8 {
		t.Errorf("another message: got %+v %v, want that it is sent", res, err)
	}
	if res, _, err := run(t, api, path, sms("Bonjour {{name}}"), func(o *batch.Options) { o.Simulated = true }); err != nil || res.Repeated != 0 {
		t.Errorf("simulated: got %+v %v, want keys of its own", res, err)
	}
}

// Deferred messages are sent again after the requested time. Refused ones are in a report, which can be sent as a
// batch.
func TestRun_PutOffAndRefused(t *testing.T) {
	f, api := newFakeService(t)
	const refused = "+22370000007"
	f.answer = func(to string, try int) string {
		switch {
		case to == refused:
			return "recipient_opted_out"
		case strings.HasSuffix(to, "5") && try < 3:
			return "overloaded"
		}
		return ""
	}
	f.envelope = func(request int) (int, string) {
		if request == 2 {
			return 429, "300"
		}
		return 0, ""
	}
	var pauses []time.Duration
	last := batch.Result{}
	path := people(t, 450)
	res, report, err := run(t, api, path, sms("Bonjour {{name}}"), func(o *batch.Options) {
		o.Parallel = 1
		o.Pause = func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			return nil
		}
		o.Progress = func(r batch.Result) { last = r }
	})
	if err != nil || res.Accepted != 449 || res.Failed != 1 || len(f.values()) != 449 || last != res {
		t.Fatalf("got %+v %v, last %+v; want 449 of 450 and one that failed", res, err, last)
	}
	longest := time.Duration(0)
	for _, d := range pauses {
		longest = max(longest, d)
	}
	if longest != 300*time.Second {
		t.Errorf("the longest pause is %v, want the 300 s that the service asked for", longest)
	}
	b, err := os.ReadFile(report.Path)
	if want := "to,name,griot_line,griot_code,griot_reason,griot_message\n" + refused + ",Client 7,9,recipient_opted_out,No: recipient_opted_out.,msg_" + refused + "\n"; err != nil || string(b) != want {
		t.Errorf("the report is %q, %v; want %q", b, err, want)
	}
	f.answer = func(string, int) string { return "" }
	if res, again, err := run(t, api, report.Path, sms("Bonjour {{name}}"), nil); err != nil || res.Accepted != 1 || res.Repeated != 0 || again.Path == report.Path {
		t.Errorf("the report as a batch: got %+v %v", res, err)
	}

	// A message that an earlier run had sent and that has expired since doesn't count as a success.
	f.expired = true
	res, report, err = run(t, api, path, sms("Bonjour {{name}}"), nil)
	b, _ = os.ReadFile(report.Path)
	if err != nil || res.Accepted != 1 || res.Failed != 449 || !strings.Contains(string(b), ",expired,\"An earlier run") {
		t.Errorf("got %+v %v, want that all but the new one have failed: %.200s", res, err, b)
	}
	f.expired = false

	// With the cells as they are in the file.
	f.answer = func(string, int) string { return "recipient_opted_out" }
	_, report, err = run(t, api, file(t, "a.csv", "to;l\u2019an;\r'+22376000009;'=1+1;\r"), sms("x {{l'an}}"), nil)
	b, _ = os.ReadFile(report.Path)
	if want := "to;l\u2019an;griot_line;griot_code;griot_reason;griot_message\n'+22376000009;'=1+1;2;recipient_opted_out;No: recipient_opted_out.;msg_+22376000009\n"; err != nil || string(b) != want {
		t.Errorf("the report is %q, %v; want %q", b, err, want)
	}

	// In JSON lines.
	f.answer = func(string, int) string { return "recipient_opted_out" }
	_, report, err = run(t, api, file(t, "a.jsonl", `{"to":"+22376000009","name":"Awa"}`), sms("x {{name}}"), nil)
	b, _ = os.ReadFile(report.Path)
	if want := `{"griot_code":"recipient_opted_out","griot_line":"1","griot_message":"msg_+22376000009","griot_reason":"No: recipient_opted_out.","name":"Awa","to":"+22376000009"}` + "\n"; err != nil || string(b) != want {
		t.Errorf("the report is %q, %v; want %q", b, err, want)
	}
}

// With one request at a time, the order of the file is kept.
func TestRun_InOrder(t *testing.T) {
	f, api := newFakeService(t)
	if _, _, err := run(t, api, people(t, 950), sms("x"), func(o *batch.Options) { o.Parallel = 1 }); err != nil {
		t.Fatal(err)
	}
	for i, to := range f.order {
		if want := fmt.Sprintf("+2237%07d", i); to != want {
			t.Fatalf("message %d went to %s, want %s", i, to, want)
		}
	}
	if f.requests != 20 {
		t.Errorf("%d requests, want 10 for the messages, and 10 for those of earlier versions", f.requests)
	}
}

// Reasons to stop: each reports that there is more to send, and later rows are not tried.
func TestRun_Stops(t *testing.T) {
	stoppedBy := func(err error) string {
		if stop, ok := errors.AsType[*batch.StoppedError](err); ok {
			return stop.Code
		}
		return fmt.Sprint(err)
	}
	f, api := newFakeService(t)
	f.answer = func(string, int) string { return "overloaded" }
	if _, _, err := run(t, api, people(t, 10), sms("x"), nil); stoppedBy(err) != "overloaded" {
		t.Errorf("a service that puts off for ever: got %v", err)
	}
	f.answer = func(string, int) string { return "" }
	f.envelope = func(int) (int, string) { return 401, "" }
	if res, _, err := run(t, api, people(t, 1000), sms("x"), func(o *batch.Options) { o.Parallel = 1 }); stoppedBy(err) != "rate_limited" || res.Done() != 0 || f.requests > 20 {
		t.Errorf("a key that is refused: got %+v %v after %d requests", res, err, f.requests)
	}
	f.envelope = nil
	path := people(t, 450)
	res, _, err := run(t, api, path, sms("x"), func(o *batch.Options) {
		o.Parallel = 1
		o.Progress = func(r batch.Result) {
			if r.Done() == 100 {
				if err := os.WriteFile(path, []byte("to\n+22376000001\n"), 0o600); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if stoppedBy(err) != "changed" {
		t.Errorf("the file has changed: got %+v %v", res, err)
	}
	nowhere, err := griot.New("http://127.0.0.1:9", "svc_live_x", griot.Options{Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if res, _, err := run(t, nowhere, people(t, 450), sms("x"), nil); stoppedBy(err) != "no_answer" || res.Done() != 0 {
		t.Errorf("nobody answers: got %+v %v", res, err)
	}
}

// Ctrl-C ends a run with the result so far.
func TestRun_Interrupted(t *testing.T) {
	f, api := newFakeService(t)
	path := people(t, 2000)
	s, err := batch.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := batch.Check(s, sms("x"), "", func(e *batch.RowError) error { return e })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err := batch.Run(ctx, plan, batch.Options{API: api, Parallel: 2, Progress: func(r batch.Result) {
		if r.Done() == 300 {
			cancel()
		}
	}})
	stop, ok := errors.AsType[*batch.StoppedError](err)
	if !ok || stop.Code != "interrupted" || res.Accepted < 300 || res.Accepted > 800 || res.Accepted != len(f.values()) {
		t.Errorf("got %+v %v, %d sent; want what was accepted before the end, and no more", res, err, len(f.values()))
	}
}

// Under one name, a person gets a message once, however the address is spelled and the text is encoded. Without a name,
// each row is a message, and the preview counts those that repeat a person.
func TestRun_OncePerPerson(t *testing.T) {
	const one = "to,name\nzoe@example.com,Zo\u00e9\n"
	for what, other := range map[string]string{
		"the case of the address":         "to,name\nZoe@Example.com,Zo\u00e9\n",
		"the composition of the text":     "to,name\nzoe@example.com,Zoe\u0301\n",
		"columns that aren't in the text": "to,name,city\nzoe@example.com,Zo\u00e9,Bamako\n",
	} {
		f, api := newFakeService(t)
		if res, _, err := runNamed(t, api, file(t, "a.csv", one), &batch.Message{Text: "Bonjour {{name}}"}, "march", nil); err != nil || res.Accepted != 1 {
			t.Fatal(res, err)
		}
		if res, _, err := runNamed(t, api, file(t, "a.csv", other), &batch.Message{Text: "Bonjour {{name}}"}, "march", nil); err != nil || res.Repeated != 1 || len(f.values()) != 1 {
			t.Errorf("%s: got %+v %v, want that nothing is sent again: %q", what, res, err, f.values())
		}
	}
	f, api := newFakeService(t)
	both := file(t, "a.csv", "to,name\nzoe@example.com,Zo\u00e9\nZoe@example.com,Zoe\u0301\nZOE@example.com,Awa\n")
	plan, _, err := check(t, both, &batch.Message{Text: "Bonjour {{name}}"}, "march")
	if err != nil || plan.Repeated != 2 || plan.Same != 1 {
		t.Errorf("got %+v %v, want two rows of the same person, one of them with the same message", plan, err)
	}
	if res, _, err := runNamed(t, api, both, &batch.Message{Text: "Bonjour {{name}}"}, "march", nil); err != nil || res.Accepted != 3 || res.Repeated != 1 || len(f.values()) != 2 {
		t.Errorf("with a name: got %+v %v, want two messages: %q", res, err, f.values())
	}
	if res, _, err := run(t, api, both, &batch.Message{Text: "Bonjour {{name}}"}, nil); err != nil || res.Repeated != 0 || len(f.values()) != 5 {
		t.Errorf("without a name: got %+v %v, want three messages more: %q", res, err, f.values())
	}
}

// The same cells are the same batch, however a program saves them.
func TestRun_SameCellsAreOneBatch(t *testing.T) {
	f, api := newFakeService(t)
	m := &batch.Message{Text: "Bonjour {{name}}"}
	for _, content := range []string{
		"to,name\n+22376000001,Zo\u00e9\nawa@example.com,\"A; B\"\n",
		"\ufeffto;name\r\n+22376000001;Zo\u00e9\r\nawa@example.com;\"A; B\"\r\n",
		"\"to\",\"name\"\n\"+22376000001\",\"Zoe\u0301\"\nAwa@example.com,A; B",
		"name\tto\nZo\u00e9\t +223 76 00 00 01 \nA; B\tawa@EXAMPLE.com\n\t\n",
		utf16("\ufeffto\tname\r\n+22376000001\tZo\u00e9\r\nawa@example.com\tA; B\r\n", binary.LittleEndian),
	} {
		if res, _, err := run(t, api, file(t, "a.csv", content), m, nil); err != nil || res.Accepted != 2 || len(f.values()) != 2 {
			t.Errorf("%q: got %+v %v, want the same two messages: %q", content, res, err, f.values())
		}
	}
	for _, content := range []string{"to,name\n+22376000001,Zo\u00e9\nawa@example.com,A; B\n+22376000002,C\n", "to,name\nawa@example.com,A; B\n+22376000001,Zo\u00e9\n"} {
		before := len(f.values())
		if res, _, err := run(t, api, file(t, "a.csv", content), m, nil); err != nil || res.Repeated != 0 || len(f.values()) != before+res.Rows {
			t.Errorf("%q: got %+v %v, want another batch", content, res, err)
		}
	}
}

// A batch that an earlier version started continues: rows that it sent aren't sent again, and the others are sent once,
// even if this version is interrupted, too. The keys are those of the version before.
func TestRun_ContinuesBatchesOfEarlierVersions(t *testing.T) {
	path := file(t, "a.csv", "to,name\n+22376000001,Awa\n+22376000001,Awa\nZoe@Example.com,Zoe\u0301\n")
	m := &batch.Message{Text: "Bonjour {{name}}"}
	for name, earlier := range map[string][]string{
		"":      {"griot-batch-3H2YQT2AQV63PRSLXKSPD446DWHQEA23", "griot-batch-ZT33YASISRKNSN762N2XBX73CZNJMWJ7", "griot-batch-E7ZMKW325KTOEMMN3Q2PXAAE6YVDP6CD"},
		"march": {"griot-batch-47LLLJXXAAPRNAHAWACD3QBWLMCXVHGG", "griot-batch-ZE65Y67ZON5ICMM25SJ3422RPVHKTVQF", "griot-batch-BHGKL4UXF7YXRI6J5CIXD6HUG46XSMB7"},
	} {
		for sent := range 1 << len(earlier) { // which rows the earlier version sent
			f, api := newFakeService(t)
			for i, key := range earlier {
				if sent>>i&1 == 1 {
					f.sent[key] = "earlier"
				}
			}
			want := 3
			if name != "" { // the second row repeats the first one, so it isn't sent
				if sent&3 == 2 {
					continue // nor was it sent alone
				}
				want = len(f.sent)
				for _, rows := range []int{3, 4} {
					if sent&rows == 0 {
						want++
					}
				}
			}
			quota := len(f.sent) + 1
			f.answer = func(string, int) string {
				if len(f.sent) >= quota {
					return "quota_exceeded"
				}
				return ""
			}
			_, _, _ = runNamed(t, api, path, m, name, nil)
			quota = 100
			if res, _, err := runNamed(t, api, path, m, name, nil); err != nil || res.Accepted != 3 || len(f.values()) != want {
				t.Errorf("%q %03b: got %+v %v, want %d messages: %q", name, sent, res, err, want, f.values())
			}
			if res, _, err := runNamed(t, api, path, m, name, nil); err != nil || res.Repeated != 3 || len(f.values()) != want {
				t.Errorf("%q %03b, again: got %+v %v, want that nothing is sent again: %q", name, sent, res, err, f.values())
			}
		}
	}
}
