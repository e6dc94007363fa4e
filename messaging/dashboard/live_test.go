package dashboard_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

const changesPath = "/dashboard/logs/events"

// changes opens the stream of changes and returns its lines.
func changes(t *testing.T, w *messagingtest.Site, p *messagingtest.Person) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+changesPath, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("%d %s", res.StatusCode, got)
	}
	return bufio.NewScanner(res.Body)
}

// The stream of the log's page reports that a message has changed, without any of its data, and ends with the session.
func TestLogs_Stream(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d) // without an endpoint
		p := w.SignIn(messagingtest.OwnerEmail)
		lines := changes(t, w, p)
		lines.Scan() // retry
		sent := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		var got []string
		for len(got) < 2 && lines.Scan() {
			if line := lines.Text(); line != "" {
				got = append(got, line)
			}
		}
		if strings.Join(got, "|") != "event: change|data: {}" {
			t.Errorf("after %s the stream has %q", sent, got)
		}
		p.Post("/dashboard/sign-out")
		for lines.Scan() {
			if line := lines.Text(); strings.HasPrefix(line, "event: ") && line != "event: change" {
				t.Errorf("the stream has %q", line)
			}
		}
		if err := lines.Err(); err != nil {
			t.Errorf("the stream has not ended with the session: %v", err)
		}
	})
}

// Pages have streams of their own: five open logs of a viewer leave the programs of the account theirs, and a sixth ends
// the first, whose page then polls.
func TestLogs_StreamsOfPagesAndPrograms(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	viewer := w.Member("view@example.com", account.RoleViewer)
	first := changes(t, w, viewer)
	for range 5 {
		changes(t, w, viewer)
	}
	var got []string
	for first.Scan() {
		if line := first.Text(); line != "" && !strings.HasPrefix(line, "retry:") {
			got = append(got, line)
		}
	}
	if err := first.Err(); err != nil || strings.Join(got, "|") != "event: replaced|data: {}" {
		t.Errorf("the first page's stream ends with %q, %v", got, err)
	}
	for range 5 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/api/webhooks/stream", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", w.LiveKey)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode != http.StatusOK {
			t.Errorf("a program that listens: %s", res.Status)
		}
	}
}

// The page of a developer, whose projects are a part of the account, polls. An older page polls, too.
func TestLogs_NamesItsStream(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p, dev, viewer := w.SignIn(messagingtest.OwnerEmail), w.Member("dev@example.com", account.RoleDeveloper), w.Member("view@example.com", account.RoleViewer)
	for range 51 {
		p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour", "sandbox", "on")
	}
	first := p.Get("/dashboard/logs?mode=test")
	p.Holds(first, `data-live data-events="`+changesPath+`"`, "data-pause hidden")
	older, _, _ := strings.Cut(first.Body[strings.Index(first.Body, `rel="next" href="`)+len(`rel="next" href="`):], `"`)
	p.Holds(p.Get(strings.ReplaceAll(older, "&amp;", "&")), "no data-live", "no data-pause")
	viewer.Holds(viewer.Get("/dashboard/logs"), `data-events="`+changesPath+`"`)
	dev.Holds(dev.Get("/dashboard/logs"), "data-live", "no data-events")
	dev.Wants(dev.Get(changesPath), http.StatusForbidden, "")
	if got := p.Do(http.MethodHead, changesPath, nil); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: %d, want 405", got.Status)
	}
}
