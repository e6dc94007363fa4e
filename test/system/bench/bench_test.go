package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

const (
	conns    = 8
	requests = 6 // per connection
)

func TestMain(m *testing.M) { systemtest.Main(m) }

// figures are the figures in bench's JSON file (-json).
type figures struct {
	Sends []figure
	Turns []figure
}

type figure struct {
	Name     string
	Subjects []struct {
		Name    string
		Samples []sample
		Median  *sample
	}
	Compared *struct{ PerSecond, P99, Memory *spread }
}

type sample struct {
	PerSecond, P50Ms, P99Ms, MemoryMaxMB float64
	Accepted                             int64
}

type spread struct{ Median, Least, Most float64 }

// run runs bench, and returns its output and its JSON file.
func run(t *testing.T, args ...string) (printed string, kept figures) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	file := filepath.Join(t.TempDir(), "figures.json")
	bench, err := systemtest.BenchBinary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, bench, append([]string{"-binary", systemtest.Binary, "-dir", t.TempDir(), "-json", file}, args...)...)
	var errs bytes.Buffer
	cmd.Env, cmd.Stderr = systemtest.Environ(), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bench %q: %v\n%s%s", args, err, out, errs.Bytes())
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return string(out), kept
}

// bench itself checks phones and webhook events, and fails if a message or an event is missing or duplicated.
func TestScenarios_EachAcceptedMessageIsDeliveredOnce(t *testing.T) {
	_, got := run(t, "-verify", fmt.Sprint(requests), "-conns", fmt.Sprint(conns), "-only", "send, ", "-postgres", dbtest.PostgresURL(t))
	names := map[string]bool{}
	for _, f := range got.Sends {
		names[f.Name] = true
		if len(f.Subjects) != 1 || len(f.Subjects[0].Samples) != 1 {
			t.Fatalf("%s has %+v, want one sample of one program", f.Name, f.Subjects)
		}
		s := f.Subjects[0].Samples[0]
		if s.Accepted != conns*requests {
			t.Errorf("%s: %d messages were accepted, want %d", f.Name, s.Accepted, conns*requests)
		}
		if s.PerSecond <= 0 || s.P50Ms <= 0 || s.P99Ms < s.P50Ms || s.MemoryMaxMB <= 0 {
			t.Errorf("%s: the sample is %+v: its numbers must be more than 0", f.Name, s)
		}
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, scenario := range []string{"plain", "first five seconds", "one account", "idempotency keys", "receipts", "one recipient", "webhooks", "webhooks, receipts"} {
			if name := fmt.Sprintf("send, %s, %d connections, %s", engine, conns, scenario); !names[name] {
				t.Errorf("%s was not verified", name)
			}
		}
	}
}

// Each message of a batch is delivered once, too.
func TestBatches_EachAcceptedMessageIsDeliveredOnce(t *testing.T) {
	_, got := run(t, "-verify", "1", "-only", "batches, ", "-postgres", dbtest.PostgresURL(t))
	accepted := map[string]int64{}
	for _, f := range got.Sends {
		if len(f.Subjects) == 1 && len(f.Subjects[0].Samples) == 1 {
			accepted[f.Name] = f.Subjects[0].Samples[0].Accepted
		}
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		for callers, messages := range map[string]int64{"1 caller": 100, "4 callers": 400, "16 callers": 1600} {
			for _, of := range []string{"one account", "100 accounts"} {
				if name := fmt.Sprintf("batches, %s, %s, %s", engine, callers, of); accepted[name] != messages {
					t.Errorf("%s: %d messages were accepted, want %d", name, accepted[name], messages)
				}
			}
		}
	}
}

// Messages that were queued during a pause are delivered once after it.
func TestResume_EachQueuedMessageIsDeliveredOnce(t *testing.T) {
	out, _ := run(t, "-verify", "1", "-only", "resume, ", "-postgres", dbtest.PostgresURL(t))
	for _, engine := range []string{"sqlite", "postgres"} {
		if !strings.Contains(out, "resume, "+engine+", 100000 queued messages") {
			t.Errorf("bench prints %q, want that the queued messages came on %s", out, engine)
		}
	}
}

// The measured pages show the stored messages: bench checks them first.
func TestPages_ShowTheMessages(t *testing.T) {
	if out, _ := run(t, "-verify", "1", "-only", "pages"); !strings.Contains(out, "20 messages") {
		t.Errorf("bench prints %q, want that the pages show 20 messages", out)
	}
}

// Backups are made during sends, and each contains the data from its start.
func TestBackups_HaveWhatWasThere(t *testing.T) {
	out, _ := run(t, "-conns", fmt.Sprint(conns), "-rounds", "1", "-seconds", "0.2", "-only", "while backups")
	if !strings.Contains(out, "send, sqlite, while backups are made") || strings.Contains(out, "; 0 backups") {
		t.Errorf("bench prints %q, want the figure with a backup", out)
	}
}

// It takes 26 seconds, because each program is measured twice, from six seconds after its start.
func TestAgainst_ComparesTwoProgramsRoundByRound(t *testing.T) {
	const only = "send, sqlite, 4 connections, receipts"
	out, got := run(t, "-against", systemtest.Binary, "-seconds", "0.4", "-rounds", "2", "-conns", "4", "-only", only)
	if !strings.Contains(out, "griot A / griot B") {
		t.Errorf("the table compares nothing:\n%s", out)
	}
	if len(got.Sends) != 1 || got.Sends[0].Name != only {
		t.Fatalf("got %+v, want the one scenario %q", got.Sends, only)
	}
	names := []string{}
	for _, s := range got.Sends[0].Subjects {
		names = append(names, s.Name)
		if len(s.Samples) != 2 {
			t.Errorf("%s has %d samples, want one for each of 2 rounds", s.Name, len(s.Samples))
		}
		if s.Median == nil || s.Median.PerSecond <= 0 {
			t.Errorf("%s has the median %+v, want more than 0 a second", s.Name, s.Median)
		}
	}
	if want := "griot A,griot B"; strings.Join(names, ",") != want {
		t.Errorf("measured %q, want %q", names, want)
	}
	c := got.Sends[0].Compared
	if c == nil {
		t.Fatal("the two programs are not compared")
	}
	for name, s := range map[string]*spread{"throughput": c.PerSecond, "p99": c.P99, "memory": c.Memory} {
		if s == nil || s.Least <= 0 || s.Median < s.Least || s.Most < s.Median {
			t.Errorf("the ratio of %s is %+v", name, s)
		}
	}
}

func TestAgainst_ComparesPagesInTurns(t *testing.T) {
	const only = "page: keys"
	_, got := run(t, "-against", systemtest.Binary, "-seconds", "0.4", "-rounds", "2", "-only", only)
	if len(got.Sends) != 0 || len(got.Turns) != 1 || got.Turns[0].Name != only || len(got.Turns[0].Subjects) != 2 || got.Turns[0].Compared == nil {
		t.Fatalf("got %+v, want the one figure %q of two programs, compared", got, only)
	}
	for _, s := range got.Turns[0].Subjects {
		if len(s.Samples) != 2 || s.Median == nil || s.Median.PerSecond <= 0 {
			t.Errorf("%s has %d samples and the median %+v, want 2 and more than 0 a second", s.Name, len(s.Samples), s.Median)
		}
	}
}

// Each engine has a figure for each kind of request in the larger database, while old messages are deleted and backups
// are made.
func TestGrowth_MeasuresEachKindOnEachEngine(t *testing.T) {
	out, _ := run(t, "-messages", "12000", "-rate", "50", "-rounds", "1", "-seconds", "1", "-only", "message growth", "-postgres", dbtest.PostgresURL(t))
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, kind := range []string{"answered", "send", "logs", "inbox", "statistics", "longest pause", "beside 12000 messages"} {
			if !strings.Contains(out, "message growth, "+engine+": "+kind) {
				t.Errorf("bench prints %q, want the figure of %s on %s", out, kind, engine)
			}
		}
	}
	if strings.Contains(out, " 0 purged") || strings.Contains(out, " 0 backups") || strings.Contains(out, " 0 dumps") || strings.Contains(out, " 0 vacuums") {
		t.Errorf("bench prints %q, want messages purged, and backups and vacuums made", out)
	}
}

// Each engine has a figure for the delay of other accounts' events while two endpoints don't work. All of them arrive.
func TestIsolation_MeasuresOtherEndpointsOnEachEngine(t *testing.T) {
	out, _ := run(t, "-rounds", "1", "-seconds", "1", "-rate", "200", "-only", "webhook isolation", "-postgres", dbtest.PostgresURL(t))
	for _, engine := range []string{"sqlite", "postgres"} {
		if !strings.Contains(out, "webhook isolation, "+engine) {
			t.Errorf("bench prints %q, want the figure on %s", out, engine)
		}
	}
}

// Each engine has a figure for the delay of each kind of request while another account sends batches.
func TestBatchIsolation_MeasuresEachKindOnEachEngine(t *testing.T) {
	out, _ := run(t, "-rounds", "1", "-seconds", "1", "-only", "batch isolation", "-postgres", dbtest.PostgresURL(t))
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, kind := range []string{"single sends", "one-time codes"} {
			if !strings.Contains(out, "batch isolation, "+engine+": "+kind) {
				t.Errorf("bench prints %q, want the figure of %s on %s", out, kind, engine)
			}
		}
	}
}

// Each row of a campaign arrives at the gateway once: bench fails otherwise.
func TestCampaign_MeasuresEachEngine(t *testing.T) {
	out, _ := run(t, "-rows", "250", "-only", "campaign, ", "-postgres", dbtest.PostgresURL(t))
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, figure := range []string{"accepted", "handed over", "memory of griot batch", "memory of the server"} {
			if !strings.Contains(out, "campaign, "+engine+": "+figure) {
				t.Errorf("bench prints %q, want the figure %q on %s", out, figure, engine)
			}
		}
	}
}
