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

func TestLimit_EachRequestIsARowThatWasUpdated(t *testing.T) {
	for engine, url := range map[db.Engine]string{db.SQLite: "sqlite:" + filepath.Join(t.TempDir(), "bare.db"), db.Postgres: dbtest.PostgresURL(t)} {
		t.Run(string(engine), func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			in, out := io.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- serveLimit(ctx, out, []string{url}) }()
			address, err := bufio.NewReader(in).ReadString('\n')
			must(t, err)
			sc := &scenario{Connections: testConns}
			_, err = load(ctx, strings.TrimSpace(address), testConns, 0, sc.plan([]string{"key"}, testRequests))
			must(t, err)
			stop()
			must(t, <-ended)
			d, err := db.Open(t.Context(), url)
			must(t, err)
			defer func() { _ = d.Close() }()
			var rows, updated int
			_, err = d.Read(t.Context()).Row(`SELECT count(*), count(CASE WHEN status = 'SENT' THEN 1 END) FROM bare_rows`).Scan(&rows, &updated)
			must(t, err)
			if want := testConns * testRequests; rows != want || updated != want {
				t.Errorf("got %d rows, of which %d are updated, want %d", rows, updated, want)
			}
		})
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
		wrong              bool
	}{
		{"QUEUED", 3, 0, false}, {"QUEUED", 2, 1, false}, {"QUEUED", 4, 0, true}, {"QUEUED", 2, 0, true}, {"FAILED", 3, 0, true}, {"EXPIRED", 3, 0, true},
	} {
		url := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
		d, err := db.Open(t.Context(), url)
		must(t, err)
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE messages AS SELECT 'SENT' AS status UNION ALL SELECT 'DELIVERED' UNION ALL SELECT '` + c.third + `'`)
			return err
		}))
		must(t, d.Close())
		if err := check(t.Context(), url, c.answered, c.underWay); errors.Is(err, errStored) != c.wrong {
			t.Errorf("3 messages, one %s, for %d answers and %d requests under way: got the error %v, want one: %t", c.third, c.answered, c.underWay, err, c.wrong)
		}
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
