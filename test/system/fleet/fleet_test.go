package fleet_test

import (
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/failpoint"
	"example.com/griot/test/system/fleet/chaos"
	"example.com/griot/test/system/fleet/history"
	"example.com/griot/test/system/systemtest"
)

const nodes = 3

func TestMain(m *testing.M) { systemtest.Main(m) }

// observe runs a deployment and returns the history and its violations of the rules. A history with violations is
// written to a file whose name is printed.
func observe(t *testing.T, o *chaos.Options) (history.History, []history.Finding) {
	t.Helper()
	var err error
	if o.Program, err = systemtest.FailpointBinary(); err != nil {
		t.Fatal(err)
	}
	h := chaos.Run(t, o)
	found := history.Check(h)
	count := map[history.Kind]int{}
	for i := range h {
		count[h[i].Kind]++
	}
	t.Logf("%d requests, %d calls of gateways, %d receipts, %d webhooks, %d polls, %d codes, %d uses of tokens", count[history.Send], count[history.Call], count[history.Receipt], count[history.Webhook],
		count[history.Poll], count[history.Redeem], count[history.Use])
	if len(found) > 0 {
		t.Logf("the history is %s", save(t, h))
	}
	return h, found
}

// save writes a history to a file that stays.
func save(t *testing.T, h history.History) string {
	t.Helper()
	name, err := h.Save()
	if err != nil {
		t.Error(err)
	}
	return name
}

// mustHold fails the test for each violation of a rule.
func mustHold(t *testing.T, o *chaos.Options) {
	t.Helper()
	h, found := observe(t, o)
	for i, f := range found {
		if i == 20 {
			t.Errorf("and %d more", len(found)-i)
			break
		}
		t.Error(f)
	}
	calls := 0
	for i := range h {
		if h[i].Kind == history.Call {
			calls++
		}
	}
	if calls == 0 {
		t.Error("no gateway was called")
	}
}

// One of three nodes is killed with SIGKILL under every kind of traffic, and no guarantee is violated. It is the one
// where messages wait, and it restarts after others have taken over its senders.
// Rules: M182.
func TestFleet_OneIsKilled(t *testing.T) {
	t.Parallel()
	mustHold(t, &chaos.Options{
		Database: dbtest.PostgresURL(t), Nodes: nodes, Seed: systemtest.Seed(t), Duration: 12 * time.Second, Rate: 40, Clients: 8,
		Faults: []chaos.Fault{{Kind: chaos.Kill, Min: 16 * time.Second, Max: 17 * time.Second, Owner: true}}, Most: 1, Pause: 3 * time.Second, Drain: 4 * time.Minute,
	})
}

// long returns the duration in GRIOT_TEST_FLEET, or skips the test.
func long(t *testing.T) time.Duration {
	t.Helper()
	s := os.Getenv("GRIOT_TEST_FLEET")
	if s == "" {
		t.Skip("make test-long runs it")
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Three nodes and their PostgreSQL are killed, stopped, terminated, restarted, and disconnected, and no guarantee
// is violated.
func TestFleet_EveryFault(t *testing.T) {
	d := long(t)
	server := dbtest.NewServer(t)
	mustHold(t, &chaos.Options{
		Database: server.URL, Server: server, Nodes: nodes, Seed: systemtest.Seed(t), Duration: d, Rate: 200, Clients: 40,
		Faults: chaos.Faults(), Pause: 6 * time.Second, Drain: 5 * time.Minute, Events: 3 * time.Minute,
	})
}

// Each planted fault is detected within a minute of load.
func TestFleet_PlantedFaults(t *testing.T) {
	long(t)
	stop := []chaos.Fault{{Kind: chaos.Stop, Min: 18 * time.Second, Max: 20 * time.Second, Owner: true}}
	for _, tt := range []struct {
		fault  failpoint.Fault
		faults []chaos.Fault
	}{
		{failpoint.NoFence, stop},
		{failpoint.NoVersion, nil},
		{failpoint.BelievedAtOnce, nil},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			h, found := observe(t, &chaos.Options{
				Database: dbtest.PostgresURL(t), Environment: []string{"TEST_FAULT=" + string(tt.fault)}, Nodes: nodes, Seed: systemtest.Seed(t), Duration: time.Minute, Rate: 60, Clients: 16,
				Faults: tt.faults, Most: 1, Pause: 3 * time.Second, Drain: 20 * time.Second,
			})
			first, count := map[history.Rule]int64{}, map[history.Rule]int{}
			for _, f := range found {
				var at int64 // of the last event that it needs, because the end of a message is read after the load
				for _, line := range f.Lines {
					if e := &h[line-1]; e.Kind != history.Final && e.Kind != history.Usage {
						at = max(at, e.End)
					}
				}
				if count[f.Rule]++; count[f.Rule] == 1 || at < first[f.Rule] {
					first[f.Rule] = at
				}
			}
			for _, rule := range slices.Sorted(maps.Keys(count)) {
				t.Logf("%s: %d times, first after %.1f s", rule, count[rule], float64(first[rule])/1e6)
			}
			if len(found) == 0 {
				t.Errorf("%s was not found in %s", tt.fault, save(t, h))
			}
		})
	}
}
