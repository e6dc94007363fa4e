package system_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/store"
)

const (
	fewDevices    = 3       // number in make test-system
	manyDevices   = 100     // number from which the memory is measured; the runtime's own part is then small
	mostMemory    = 3 << 20 // per device
	mostPerSecond = 20      // connections
)

// Many numbers in one process: the test measures each one's memory, and checks that they do not all reconnect at the
// same time after an outage. make test-long runs it with 200 numbers.
func TestManyDevices(t *testing.T) {
	n := fewDevices
	if text := os.Getenv("GRIOT_TEST_DEVICES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			t.Fatalf("GRIOT_TEST_DEVICES is %q, want a number", text)
		}
	}
	wait := patience + time.Duration(n)*time.Second
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d := deploy(t, s, receiver)
	d.env = append(d.env, "GRIOT_WHATSAPP_LEASE=15s")
	griot := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // accepts every event
	defer griot.Close()
	d.env = append(d.env, "GRIOT_WHATSAPP_GRIOT="+griot.URL+"/gateways/linked")

	run := func(numbers int) *process {
		p := start(t, d.dir, d.env, linked, "serve")
		d.connected(p, numbers, wait)
		return p
	}
	p := run(0)
	empty := d.metric("process_resident_memory_bytes")
	p.kill()
	d.link(n)
	before := len(s.Connects())
	run(n)
	began := s.Connects()[before:]
	took := began[len(began)-1].Sub(began[0])
	memory := d.metric("process_resident_memory_bytes")

	before = len(s.Connects())
	for i := range n {
		s.Kick(linkedNumber(i), nil)
	}
	within(t, wait, "the connections after the storm", func() string {
		if online := d.online(n); online < n || len(s.Connects())-before < n {
			return fmt.Sprintf("%d of %d are connected, %d connections", online, n, len(s.Connects())-before)
		}
		return ""
	})
	storm := s.Connects()[before:]
	memory = max(memory, d.metric("process_resident_memory_bytes"))
	each := (memory - empty) / float64(n)
	t.Logf("%d devices: %.2f MB each (%.0f MB without any), all begun within %v; after the storm %d connections within %v, at most %d in a second; at most %d at the start",
		n, each/(1<<20), empty/(1<<20), took.Round(time.Millisecond), len(storm), storm[len(storm)-1].Sub(storm[0]).Round(time.Millisecond), inOneSecond(storm), inOneSecond(began))
	if n >= manyDevices && each >= mostMemory {
		t.Errorf("each device takes %.2f MB, want less than %d", each/(1<<20), mostMemory>>20)
	}
	for what, times := range map[string][]time.Time{"the start": began, "the storm": storm} {
		if most := inOneSecond(times); most >= mostPerSecond {
			t.Errorf("%s: %d connections began in one second, want less than %d", what, most, mostPerSecond)
		}
	}
	if lost := d.metric("griot_whatsapp_lease_losses_total"); lost != 0 {
		t.Errorf("%v leases were lost, want none", lost)
	}
}

func linkedNumber(i int) string { return strconv.Itoa(22_376_000_000 + i) }

// link links numbers in the deployment's store, which no process has open.
func (d *deployment) link(n int) {
	d.t.Helper()
	ctx := d.t.Context()
	key, err := seal.LoadKey(filepath.Join(d.dir, "master.key"), false)
	if err != nil {
		d.t.Fatal(err)
	}
	box, err := seal.New(key)
	if err != nil {
		d.t.Fatal(err)
	}
	opened, err := store.Open(ctx, filepath.Join(d.dir, "whatsapp.db"), box, store.Limits{Events: 1000, Bytes: 1 << 20})
	if err != nil {
		d.t.Fatal(err)
	}
	defer opened.Close()
	pairer := &pairing.Pairer{Store: opened, WhatsApp: fakewhatsapp.HTTPClient(d.whatsApp.Addr), Lease: 15 * time.Second}
	var work sync.WaitGroup
	turns := make(chan struct{}, 4)
	for i := range n {
		turns <- struct{}{}
		number := linkedNumber(i)
		d.whatsApp.AddUser(number, strconv.Itoa(900_000+i))
		work.Go(func() {
			defer func() { <-turns }()
			err := pairer.Pair(ctx, number, false, func(code string, _ time.Time) {
				if err := d.whatsApp.ScanQR(code, number); err != nil {
					d.t.Error(err)
				}
			})
			if err != nil {
				d.t.Errorf("linking number %d: %v", i, err)
			}
		})
	}
	work.Wait()
}

// metric returns the value of a metric without labels, or with the labels in its name. It returns -1 if the metric does not exist.
func (d *deployment) metric(name string) float64 {
	d.t.Helper()
	r, err := call(d.t, "GET", "http://"+d.probes+"/metrics", "")
	if err != nil || r.status != http.StatusOK {
		return -1
	}
	for line := range strings.Lines(r.raw) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			value, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				d.t.Fatal(err)
			}
			return value
		}
	}
	return -1
}

// online returns the number of the first n numbers that are connected to WhatsApp.
func (d *deployment) online(n int) (online int) {
	for i := range n {
		online += d.whatsApp.Online(linkedNumber(i))
	}
	return online
}

// connected waits until a process reports that all its numbers are connected.
func (d *deployment) connected(p *process, numbers int, patience time.Duration) {
	d.t.Helper()
	within(d.t, patience, "the connections", func() string {
		if got := d.metric(`griot_whatsapp_connections{state="connected"}`); got != float64(numbers) {
			return fmt.Sprintf("%v are connected, want %d\n%s", got, numbers, p.out)
		}
		return ""
	})
}

// inOneSecond returns the maximum number of times within any second.
func inOneSecond(times []time.Time) (most int) {
	first := 0
	for i, at := range times {
		for at.Sub(times[first]) >= time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
