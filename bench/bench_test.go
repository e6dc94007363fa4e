package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const (
	testConns    = 8
	testRequests = 6 // of a connection
	testWait     = 20 * time.Second
)

// griotBinary is the program under test, built once.
var griotBinary string

// TestMain is also what bench's own servers are, which it starts as children of the running program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == serveBareCommand || os.Args[1] == serveLimitCommand) {
		main()
		return
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "griot-bench-test-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		griotBinary = filepath.Join(dir, "griot")
		var out []byte
		if out, err = exec.CommandContext(context.Background(), "go", "build", "-o", griotBinary, "../cmd/griot").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer dbtest.Stop()
	return m.Run()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestScenarios_EachAcceptedMessageIsDeliveredOnce(t *testing.T) {
	o := &options{sendConns: []int{testConns}, rounds: 1, binary: griotBinary, dir: t.TempDir(), postgres: dbtest.PostgresURL(t)}
	endpoint := newEndpoint(t)
	server, err := openServer(t.Context(), o.postgres)
	must(t, err)
	defer func() { must(t, server.close(t.Context())) }()
	s := &sendBench{o: o, bare: endpoint.bare, server: server, programs: programs(o), accounts: 3, requests: testRequests}
	for _, sc := range o.allScenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			endpoint.reset()
			s.inspect = func(ctx context.Context, sc *scenario, g *griot, accepted int64) error {
				if accepted != testConns*testRequests {
					t.Errorf("%d messages were accepted, want %d", accepted, testConns*testRequests)
				}
				phonesHave(t, g, sc)
				if sc.webhooks {
					endpoint.has(accepted, sc.receipts)
				}
				return nil
			}
			got, err := s.sample(t.Context(), sc, s.programs[0])
			must(t, err)
			if got.Rate <= 0 || got.P50 <= 0 || got.P99 < got.P50 || got.Memory <= 0 {
				t.Errorf("the sample is %+v: its numbers must be more than 0", got)
			}
		})
	}
}

// The pages that are measured show the messages that were stored.
func TestPages_ShowTheMessages(t *testing.T) {
	const messages = 20
	s, err := startPages(t.Context(), &options{dir: t.TempDir(), binary: griotBinary}, messages)
	must(t, err)
	defer s.stop()
	for path, want := range map[string]string{"/dashboard": ">100\u00a0%", "/dashboard/logs": s.message, "/dashboard/messages/" + s.message: s.message, "/api/status/" + s.message: "DELIVERED"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.BaseURL+path, http.NoBody)
		must(t, err)
		req.Header.Set("Cookie", s.cookie)
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		body, err := io.ReadAll(res.Body)
		must(t, errors.Join(err, res.Body.Close()))
		if res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %d %s, want 200 with %q", path, res.StatusCode, body, want)
		}
	}
}

// endpoint is a webhook endpoint that remembers the statuses of messages, and answers as the bare server does.
type endpoint struct {
	t    *testing.T
	bare *bareServer

	mu    sync.Mutex
	posts int
	steps map[string][]string // of each message, sorted
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{t: t}
	e.reset()
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	e.bare = &bareServer{address: srv.Listener.Addr().String()}
	return e
}

func (e *endpoint) reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.posts, e.steps = 0, map[string][]string{}
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.URL.Path == webhookCountPath {
		_, _ = fmt.Fprint(w, e.posts)
		return
	}
	var event struct{ MessageID, Status string }
	if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
		e.t.Errorf("a webhook event: got %v, want JSON", err)
	}
	e.posts++
	e.steps[event.MessageID] = append(e.steps[event.MessageID], event.Status)
	slices.Sort(e.steps[event.MessageID])
}

// has waits until each of the accepted messages has its last event, and fails unless it then has each of its events once.
// With receipts that it was sent is no event where the receipt came before the answer.
func (e *endpoint) has(accepted int64, receipts bool) {
	e.t.Helper()
	last, want := "sent", []string{"sent"}
	if receipts {
		last, want = "delivered", []string{"delivered", "delivered sent"}
	}
	eventually(e.t, "messages with an event that they were "+last, accepted, func() (n int64) {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, steps := range e.steps {
			if slices.Contains(steps, last) {
				n++
			}
		}
		return n
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, steps := range e.steps {
		if got := strings.Join(steps, " "); !slices.Contains(want, got) {
			e.t.Errorf("events of %s: got %q, want one of %q", id, got, want)
		}
	}
}

// phonesHave waits until each phone has the messages that were sent to it, and each of these once.
func phonesHave(t *testing.T, g *griot, sc *scenario) {
	t.Helper()
	want := map[int64]int64{}
	for conn := range testConns {
		for turn := range testRequests {
			want[sc.recipient(conn, turn)]++
		}
	}
	for number, n := range want {
		var references map[string]bool
		eventually(t, fmt.Sprintf("messages on phone %d", number), n, func() int64 {
			var phone struct{ Messages []struct{ Reference string } }
			get(t, fmt.Sprintf("%s/dev/phones/%d/messages", g.BaseURL, number), &phone)
			references = map[string]bool{}
			for _, m := range phone.Messages {
				references[m.Reference] = true
			}
			return int64(len(phone.Messages))
		})
		if int64(len(references)) != n {
			t.Errorf("phone %d has %d messages of %d references: one came twice", number, n, len(references))
		}
	}
}

// eventually waits until a count is what is wanted.
func eventually(t *testing.T, what string, want int64, count func() int64) {
	t.Helper()
	deadline := time.Now().Add(testWait)
	for {
		got := count()
		if got == want {
			return
		}
		if got > want || time.Now().After(deadline) {
			t.Fatalf("%s: got %d, want %d", what, got, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func get(t *testing.T, url string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	must(t, json.NewDecoder(res.Body).Decode(out))
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

func TestAgainst_ComparesTwoProgramsRoundByRound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.json")
	var out bytes.Buffer
	const only = "send, sqlite, 4 connections, receipts"
	must(t, run(t.Context(), &out, []string{"-binary", griotBinary, "-against", griotBinary, "-seconds", "0.4", "-rounds", "2", "-conns", "4", "-only", only, "-json", file}))
	if !strings.Contains(out.String(), "griot A / griot B") {
		t.Errorf("the table compares nothing:\n%s", out.String())
	}
	b, err := os.ReadFile(file)
	must(t, err)
	var got kept
	must(t, json.Unmarshal(b, &got))
	if len(got.Sends) != 1 || got.Sends[0].Name != only {
		t.Fatalf("got %s, want the one scenario %q", b, only)
	}
	names := []string{}
	for _, s := range got.Sends[0].Subjects {
		names = append(names, s.Name)
		if len(s.Samples) != 2 {
			t.Errorf("%s has %d samples, want one for each of 2 rounds", s.Name, len(s.Samples))
		}
		if s.Median == nil || s.Median.Rate <= 0 {
			t.Errorf("%s has the median %+v, want more than 0 a second", s.Name, s.Median)
		}
	}
	if want := []string{bareInsert, compositeLimit, "griot A", "griot B"}; strings.Join(names, ",") != strings.Join(want, ",") {
		t.Errorf("measured %q, want %q", names, want)
	}
	c := got.Sends[0].Compared
	if c == nil {
		t.Fatal("the two programs are not compared")
	}
	for name, s := range map[string]spread{"throughput": c.Rate, "p99": c.P99, "memory": c.Memory} {
		if s.Least <= 0 || s.Median < s.Least || s.Most < s.Median {
			t.Errorf("the ratio of %s is %v", name, s)
		}
	}
}

func TestAgainst_ComparesPagesInTurns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.json")
	const only = "page: keys"
	must(t, run(t.Context(), io.Discard, []string{"-binary", griotBinary, "-against", griotBinary, "-seconds", "0.4", "-rounds", "2", "-only", only, "-json", file}))
	b, err := os.ReadFile(file)
	must(t, err)
	var got kept
	must(t, json.Unmarshal(b, &got))
	if len(got.Sends) != 0 || len(got.Turns) != 1 || got.Turns[0].Name != only || len(got.Turns[0].Subjects) != 2 || got.Turns[0].Compared == nil {
		t.Fatalf("got %s, want the one figure %q of two programs, compared", b, only)
	}
	for _, s := range got.Turns[0].Subjects {
		if len(s.Samples) != 2 || s.Median == nil || s.Median.Rate <= 0 {
			t.Errorf("%s has %d samples and the median %+v, want 2 and more than 0 a second", s.Name, len(s.Samples), s.Median)
		}
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
