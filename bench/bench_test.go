package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const (
	testConns    = 8
	testRequests = 6 // per connection
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLimit_EachMessageIsARowThatWasUpdated(t *testing.T) {
	for engine, url := range map[db.Engine]func(*testing.T) string{
		db.SQLite:   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "bare.db") },
		db.Postgres: func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		for name, sc := range map[string]*scenario{"send": {Connections: testConns}, "batch": {Connections: testConns, batch: batchSize}} {
			t.Run(string(engine)+"/"+name, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				in, out := io.Pipe()
				ended := make(chan error, 1)
				url := url(t)
				go func() { ended <- serveLimit(ctx, out, []string{url}) }()
				address, err := bufio.NewReader(in).ReadString('\n')
				must(t, err)
				l := &loader{address: strings.TrimSpace(address), conns: testConns, next: sc.plan([]string{"key"}, testRequests), right: sc.right}
				_, err = l.run(ctx)
				must(t, err)
				stop()
				must(t, <-ended)
				d, err := db.Open(t.Context(), url)
				must(t, err)
				defer func() { _ = d.Close() }()
				var rows, messages, updated int
				_, err = d.Read(t.Context()).Row(`SELECT count(*), count(CASE WHEN body LIKE '{"to":"+223760%"}' THEN 1 END), count(CASE WHEN status = 'SENT' THEN 1 END) FROM bare_rows`).Scan(&rows, &messages, &updated)
				must(t, err)
				if want := testConns * testRequests * sc.messages(); rows != want || messages != want || updated != want {
					t.Errorf("got %d rows, of which %d are a message and %d are updated, want %d", rows, messages, updated, want)
				}
			})
		}
	}
}

// A batch of which a message was refused is answered with 200, too.
func TestLoad_ABatchWithARefusedMessageIsAnError(t *testing.T) {
	for answer, wrong := range map[string]bool{allAccepted + `"total":100}`: false, `{"success":false,"total":100}`: true, `{}`: true} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		sc := &scenario{Connections: 2, batch: batchSize}
		_, err := (&loader{address: api.Listener.Addr().String(), conns: 2, next: sc.plan([]string{"key"}, 2), right: sc.right}).run(t.Context())
		if (err != nil) != wrong {
			t.Errorf("the answer %s: got the error %v, want one: %t", answer, err, wrong)
		}
		api.Close()
	}
}

// Responses outside of the windows aren't counted. The processor time is that of a window.
func TestLoad_CountsWhatIsInAWindow(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer api.Close()
	now, read := time.Now(), 0
	l := &loader{address: api.Listener.Addr().String(), conns: 2, next: func(_, _ int, b []byte) []byte { return request(b, "GET", "/", nil) }}
	l.used = func() usage {
		read++
		return usage{own: time.Duration(read*read) * time.Second}
	}
	at := func(ms int) time.Time { return now.Add(time.Duration(ms) * time.Millisecond) }
	got, err := l.run(t.Context(), window{now, at(100)}, window{at(300), at(500)})
	must(t, err)
	if len(got) != 2 {
		t.Fatalf("got %d results, want one of each window", len(got))
	}
	for i, want := range []struct{ took, used time.Duration }{{100 * time.Millisecond, 3 * time.Second}, {200 * time.Millisecond, 7 * time.Second}} {
		if r := got[i]; r.took < want.took*9/10 || r.used.own != want.used || r.count == 0 || r.count != int64(len(r.times)) {
			t.Errorf("window %d: got %d responses in %s and %s of processor time, want some in %s and %s", i, r.count, r.took, r.used.own, want.took, want.used)
		}
	}
	if all := got[0].count + got[1].count; got[0].all <= all || got[0].all != got[1].all {
		t.Errorf("got %d and %d responses in all, want the same number, more than the %d of the windows", got[0].all, got[1].all, all)
	}
}

// A program is measured after it has settled, and in its first seconds by one scenario.
func TestScenario_Windows(t *testing.T) {
	const round = 2 * time.Second
	begun := time.Now()
	for name, tt := range map[string]struct {
		sc      scenario
		started time.Time
		want    [][2]time.Duration // from begun
	}{
		"a new program":    {started: begun, want: [][2]time.Duration{{settleTime, settleTime + round}}},
		"a settled one":    {started: begun.Add(-settleTime), want: [][2]time.Duration{{0, round}}},
		"its first second": {scenario{atStart: true}, begun, [][2]time.Duration{{0, firstTime}, {settleTime, settleTime + round}}},
		"a counterpart":    {sc: scenario{atStart: true}, want: [][2]time.Duration{{warmUp, warmUp + round}}},
	} {
		got := tt.sc.windows(tt.started, round)
		if len(got) != len(tt.want) {
			t.Fatalf("%s: got %d windows, want %d", name, len(got), len(tt.want))
		}
		for i, w := range got {
			for side, at := range []time.Time{w.from, w.to} {
				if late := at.Sub(begun.Add(tt.want[i][side])); late < 0 || late > time.Second {
					t.Errorf("%s: window %d is %s later than wanted", name, i, late)
				}
			}
		}
	}
}

func TestSample_OfBatchesIsPerMessage(t *testing.T) {
	res := &result{count: 3, all: 5, took: time.Second, times: []time.Duration{time.Second}}
	got := newSample(res, res.count, usage{3 * time.Millisecond, 6 * time.Millisecond}, 7).each(100)
	if want := (sample{Rate: 300, P50: 1000, P99: 1000, Memory: 7, CPU: 10, Database: 20, Accepted: 500}); *got != want {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestRatios_AreOfTheSameRound(t *testing.T) {
	of := func(rates ...float64) *subject {
		s := &subject{}
		for _, r := range rates {
			s.Samples = append(s.Samples, &sample{Rate: r})
		}
		return s
	}
	got := ratios(of(100, 10, 40), of(50, 10, 10), rateOf)
	if want := (spread{Median: 2, Least: 1, Most: 4}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := spreadOf([]float64{3, 1, 2, 8}).Median; math.Abs(got-2.5) > 1e-9 {
		t.Errorf("the median of four is %v, want 2.5", got)
	}
}

func TestCheck_FindsWhatWasNotStored(t *testing.T) {
	for _, c := range []struct {
		third              string
		answered, underWay int64
		waiting            int64
		wrong              bool
	}{
		{"QUEUED", 3, 0, 1, false},
		{"SENDING", 3, 0, 1, false},
		{"SENT", 3, 0, 0, false},
		{"QUEUED", 2, 1, 0, false},
		{"QUEUED", 4, 0, 0, true},
		{"QUEUED", 2, 0, 0, true},
		{"FAILED", 3, 0, 0, true},
		{"EXPIRED", 3, 0, 0, true},
	} {
		url := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
		d, err := db.Open(t.Context(), url)
		must(t, err)
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE messages AS SELECT 'SENT' AS status UNION ALL SELECT 'DELIVERED' UNION ALL SELECT '` + c.third + `'`)
			return err
		}))
		must(t, d.Close())
		if waiting, err := check(t.Context(), url, c.answered, c.underWay); errors.Is(err, errStored) != c.wrong || waiting != c.waiting {
			t.Errorf("3 messages, one %s, for %d answers and %d requests under way: got %d waiting and the error %v, want %d, and an error: %t", c.third, c.answered, c.underWay, waiting, err, c.waiting, c.wrong)
		}
	}
}

// A resume has ended when no message is queued or with its gateway.
func TestResume_WaitsForEachMessage(t *testing.T) {
	for row, wrong := range map[string]bool{"'QUEUED', NULL": true, "'QUEUED', 1": true, "'SENDING', 1": true, "'SENT', NULL": false} {
		d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "griot.db"))
		must(t, err)
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE messages (id TEXT, status TEXT, due_at BIGINT)`)
			if err == nil {
				_, err = tx.Exec(`INSERT INTO messages (id, status, due_at) VALUES ('1', 'SENT', NULL), ('2', ` + row + `)`)
			}
			return err
		}))
		if err := handedOver(t.Context(), d, time.Now()); errors.Is(err, errStored) != wrong || !wrong && err != nil {
			t.Errorf("a message with %s: got the error %v, want one: %t", row, err, wrong)
		}
		must(t, d.Close())
	}
}

// A duplicate or missing message is an error.
func TestVerify_FindsWhatCameTwiceOrNotAtAll(t *testing.T) {
	for name, tt := range map[string]struct {
		events   []string // message and status
		receipts bool
		wrong    bool
	}{
		"each once":                    {events: []string{"1 sent", "2 sent"}},
		"one twice":                    {events: []string{"1 sent", "1 sent", "2 sent"}, wrong: true},
		"of a message too many":        {events: []string{"1 sent", "2 sent", "3 sent"}, wrong: true},
		"another status":               {events: []string{"1 sent", "2 failed", "2 sent"}, wrong: true},
		"receipts":                     {events: []string{"1 delivered", "1 sent", "2 delivered"}, receipts: true},
		"a receipt twice":              {events: []string{"1 delivered", "2 delivered", "2 delivered"}, receipts: true, wrong: true},
		"sent twice, and the receipts": {events: []string{"1 sent", "1 delivered", "2 sent", "2 sent", "2 delivered"}, receipts: true, wrong: true},
	} {
		e := &endpoint{}
		e.reset()
		for _, event := range tt.events {
			id, status, _ := strings.Cut(event, " ")
			body := fmt.Sprintf(`{"messageId":%q,"status":%q}`, id, status)
			e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, webhookPath, strings.NewReader(body)))
		}
		if err := e.has(t.Context(), 2, tt.receipts); errors.Is(err, errStored) != tt.wrong {
			t.Errorf("events, %s: got the error %v, want one: %t", name, err, tt.wrong)
		}
	}
	for name, tt := range map[string]struct {
		messages string // on the one phone
		wrong    bool
	}{
		"each once":   {messages: `{"reference":"1"},{"reference":"2"}`},
		"one twice":   {messages: `{"reference":"1"},{"reference":"1"}`, wrong: true},
		"one as well": {messages: `{"reference":"1"},{"reference":"2"},{"reference":"2"}`, wrong: true},
	} {
		phones := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, `{"messages":[%s]}`, tt.messages) }))
		if err := phonesHave(t.Context(), phones.URL, &scenario{Connections: 1, oneRecipient: true}, 2); errors.Is(err, errStored) != tt.wrong {
			t.Errorf("phones, %s: got the error %v, want one: %t", name, err, tt.wrong)
		}
		phones.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := eventually(ctx, "messages", 2, func() (int64, error) { return 1, nil }); !errors.Is(err, errStored) {
		t.Errorf("one of two messages: got %v, want %v", err, errStored)
	}
}
