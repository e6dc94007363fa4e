package system_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

const (
	loadPeople  = 500
	loadRate    = 10_000 // messages a minute, of all people together
	loadStores  = 20     // of the phones' keys, because a store for each takes much memory
	longestP99  = 2 * time.Second
	loadNumbers = 22_370_100_000
)

// arrivals are the times at which messages have arrived at the account's endpoint, by text.
type arrivals struct {
	mu sync.Mutex
	at map[string]time.Time
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(r.Body)
	var b struct{ Event, Text string }
	if err == nil && json.Unmarshal(body, &b) == nil && b.Event == "message.received" {
		a.mu.Lock()
		if _, again := a.at[b.Text]; !again {
			a.at[b.Text] = now
		}
		a.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.at)
}

// 500 people write 10,000 messages a minute to one number. Each person's messages keep their order, and 99 % of them arrive
// at the account's endpoint within two seconds. Only make test-long runs it; TestLinkedKills fails for the same order.
func TestLinkedLoad(t *testing.T) {
	text := os.Getenv("GRIOT_TEST_LINKED_LOAD")
	if text == "" {
		t.Skip("make test-long runs it")
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(shop, "900001")
	s.AddUser(receiver, "900002")
	d := deploy(t, s, receiver)
	arrived := &arrivals{at: map[string]time.Time{}}
	hook := httptest.NewServer(arrived)
	t.Cleanup(func() { hook.CloseClientConnections(); hook.Close() })
	d.edit("griot.yaml", func(text string) string { return text + fmt.Sprintf("webhooks: {allow: [%q]}\n", hook.URL) })
	d.startGriot()
	d.pair(shop, false)
	d.startLinked(1)
	account := d.admin("id", "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + d.admin("key", "api-keys", "create", "--account", account)
	d.verb("webhooks", "set", "--account", account, "--url", hook.URL)
	d.admin("id", "senders", "add", "--account", account, "--channel", "whatsapp", "--address", shop, "--gateway", "linked")
	d.senderIs(key, `"state":"connected"`)

	phones := linkedPhones(t, s)
	write := func(i, n int) (id string) { return phones[i].Send(t, shop, fmt.Sprintf("%d-%d", i, n)) }
	for i := range phones { // the first message of each opens a session
		write(i, 0)
	}
	within(t, patience, "the first messages", func() string {
		if n := arrived.count(); n < len(phones) {
			return fmt.Sprintf("%d of %d have arrived", n, len(phones))
		}
		return ""
	})
	each := int(duration.Minutes()*loadRate) / loadPeople
	pace := time.Duration(loadPeople) * time.Minute / loadRate // of one person
	ids := make([][]string, loadPeople)
	began, before := time.Now(), []time.Duration{d.linked.cpu(t), d.griot.cpu(t)}
	var work sync.WaitGroup
	for i := range phones {
		work.Go(func() {
			start := began.Add(pace * time.Duration(i) / loadPeople)
			for n := 1; n <= each; n++ {
				time.Sleep(time.Until(start.Add(time.Duration(n-1) * pace)))
				ids[i] = append(ids[i], write(i, n))
			}
		})
	}
	work.Wait()
	took := time.Since(began)
	all := loadPeople * (each + 1)
	within(t, patience+duration, "the messages", func() string {
		if n := arrived.count(); n < all {
			return fmt.Sprintf("%d of %d have arrived", n, all)
		}
		return ""
	})
	used := []time.Duration{d.linked.cpu(t) - before[0], d.griot.cpu(t) - before[1]}
	var latencies []time.Duration
	for i := range ids {
		for n, id := range ids[i] {
			latencies = append(latencies, arrived.at[fmt.Sprintf("%d-%d", i, n+1)].Sub(s.QueuedAt(shop, "message", id)))
		}
	}
	share := func(n int) time.Duration { return used[n] / time.Duration(len(latencies)) }
	slices.Sort(latencies)
	at := func(share float64) time.Duration {
		return latencies[int(share*float64(len(latencies)-1))].Round(time.Millisecond)
	}
	inversions := d.inversions(key, each+1)
	t.Logf("%d messages of %d people in %v, %.0f a minute: p50 %v, p99 %v, most %v; %d out of order; for each, griot-whatsapp took %v of processor time, and griot %v; griot-whatsapp has %.0f MB",
		len(latencies), loadPeople, took.Round(time.Millisecond), float64(len(latencies))/took.Minutes(), at(0.5), at(0.99), at(1), inversions, share(0), share(1), d.metric("process_resident_memory_bytes")/(1<<20))
	if at(0.99) > longestP99 {
		t.Errorf("p99 is %v, want at most %v", at(0.99), longestP99)
	}
	if inversions > 0 {
		t.Errorf("%d messages are out of order", inversions)
	}
}

// cpu returns the processor time that a process has taken.
func (p *process) cpu(t *testing.T) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(raw), ") ") // after the program's name
	var ticks time.Duration
	for _, field := range strings.Fields(fields)[11:13] { // of programs and of the kernel
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * time.Second / 100
}

// linkedPhones returns the phones of the people, whose events are dropped.
func linkedPhones(t *testing.T, s *fakewhatsapp.Server) []*phonetest.Phone {
	t.Helper()
	phones := make([]*phonetest.Phone, loadPeople)
	var work sync.WaitGroup
	turns := make(chan struct{}, 4) // each makes hundreds of keys
	for k := range loadStores {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			c := phonetest.Store(t)
			for i := k; i < loadPeople; i += loadStores {
				number := strconv.Itoa(loadNumbers + i)
				s.AddUser(number, strconv.Itoa(1_000_000+i))
				phones[i] = phonetest.NewIn(t, s, c, number)
				go func() {
					for {
						select {
						case <-phones[i].Events:
						case <-t.Context().Done():
							return
						}
					}
				}()
			}
		})
	}
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return phones
}

// inversions returns the number of messages in the inbox that a later one of the same person precedes. Each person has
// written a number of messages.
func (d *deployment) inversions(key string, each int) (n int) {
	d.t.Helper()
	for cursor := "?limit=100"; cursor != ""; {
		var list struct {
			Conversations []struct{ ID string }
			NextCursor    string
		}
		d.get(key, "/api/inbox/conversations"+cursor, &list)
		for _, c := range list.Conversations {
			last, found := each, 0
			for cursor := "?limit=100"; cursor != ""; {
				var page struct {
					Messages   []struct{ Content string }
					NextCursor string
				}
				d.get(key, "/api/inbox/conversations/"+c.ID+"/messages"+cursor, &page)
				for _, m := range page.Messages { // newest first
					_, text, _ := strings.Cut(m.Content, "-")
					number, err := strconv.Atoi(text)
					if err != nil {
						d.t.Fatal(err)
					}
					if found++; number > last {
						n++
					}
					last = min(last, number)
				}
				cursor = next(page.NextCursor)
			}
			if found != each {
				d.t.Errorf("a conversation has %d messages, want %d", found, each)
			}
		}
		cursor = next(list.NextCursor)
	}
	return n
}

func next(cursor string) string {
	if cursor == "" {
		return ""
	}
	return "?limit=100&cursor=" + cursor
}

// get requests data of an account and decodes it.
func (d *deployment) get(key, path string, into any) {
	d.t.Helper()
	eventually(d.t, path, func() string {
		answer, err := call(d.t, "GET", d.api+path, "", key)
		if err == nil && answer.status == http.StatusOK {
			err = json.Unmarshal([]byte(answer.raw), into)
		}
		if err != nil || answer.status != http.StatusOK {
			return fmt.Sprintf("%+v, %v", answer, err)
		}
		return ""
	})
}
