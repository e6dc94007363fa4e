package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/messaging/account"
)

// withSenders makes an account without a quota in a database that nobody has open, with
// a sender on each of some channels, on the gateways of these names.
func withSenders(t *testing.T, url, plan string, gateways map[gateway.Channel]string) (key string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	spec := &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: plan}
	for channel, name := range gateways {
		spec.Senders = append(spec.Senders, account.Sender{Channel: channel, Address: "2237000000" + strconv.Itoa(len(name)), Gateway: name})
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = directory.CreateKey(t.Context(), a.ID, "", account.Live); err != nil {
		t.Fatal(err)
	}
	return key
}

// again starts a server that has ended, with the same settings.
func (s *server) again(t *testing.T) *server {
	t.Helper()
	next := &server{out: &safeBuffer{}, api: s.api, auth: s.auth, internal: s.internal}
	next.cmd = exec.CommandContext(context.Background(), binary, "serve")
	next.cmd.Dir, next.cmd.Env, next.cmd.Stdout, next.cmd.Stderr = s.cmd.Dir, s.cmd.Env, next.out, next.out
	if err := next.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.cmd.Process.Kill(); _ = next.cmd.Wait() })
	eventually(t, 20*time.Second, func() error {
		if r, err := call("GET", next.api+"/healthz", ""); err != nil || r.status != 200 {
			return fmt.Errorf("%w\n%s", errNotYet, next.out)
		}
		return nil
	})
	return next
}

// load is clients that send until they are stopped, each message under a key of its own.
type load struct {
	t    *testing.T
	api  string
	key  string
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu       sync.Mutex
	accepted map[string]string // text -> message id
	refused  map[string]bool   // texts that were answered 503, or whose answer never came
	count    map[int]int       // answers by status
}

func startLoad(t *testing.T, api, key string, clients int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &load{t: t, api: api, key: key, stop: stop, accepted: map[string]string{}, refused: map[string]bool{}, count: map[int]int{}}
	for c := range clients {
		s.wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				s.send(fmt.Sprintf("n %d %d", c, n), c)
			}
		})
	}
	t.Cleanup(s.end)
	return s
}

func (s *load) end() {
	s.stop()
	s.wg.Wait()
}

// send sends one text; under the same key when it is sent again.
func (s *load) send(text string, to int) {
	r, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"2237700%04d","message":%q,"idempotencyKey":%q}`, to, text, text), "Authorization: Bearer "+s.key)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.refused[text] = true
		s.count[0]++
		time.Sleep(time.Millisecond) // it is gone: do not spin
		return
	case r.status == 200 || r.status == 202:
		s.accepted[text] = r.text("messageId")
		delete(s.refused, text)
	case r.status == 503:
		s.refused[text] = true
		if r.text("code") != "storage_unavailable" || r.header.Get("Retry-After") == "" {
			s.t.Errorf("503 %s, Retry-After %q", r.raw, r.header.Get("Retry-After"))
		}
	default:
		s.t.Errorf("answered %d %s", r.status, r.raw)
	}
	s.count[r.status]++
}

func (s *load) counts() map[int]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.count)
}

// waitForStatus waits for n more answers with a status.
func (s *load) waitForStatus(status, n int) {
	s.t.Helper()
	from := s.counts()
	eventually(s.t, 60*time.Second, func() error {
		if now := s.counts(); now[status]-from[status] < n {
			return fmt.Errorf("wanted %d answers of status %d: %v, were %v", n, status, now, from)
		}
		return nil
	})
}

// check lets every client ask again about what was not answered, waits for the end of
// all messages, and holds them against what the gateway has.
func (s *load) check(f *remoteGateway) {
	t := s.t
	t.Helper()
	s.end()
	var again []string
	for text := range s.refused {
		again = append(again, text)
	}
	for _, text := range again {
		s.send(text, 0)
	}
	if len(s.refused) > 0 {
		t.Errorf("%d are still refused", len(s.refused))
	}
	status, unknown := s.finalStatuses(f)
	asked, refs := f.delivered()
	for text, n := range refs {
		if n != 1 {
			t.Errorf("%q was sent as %d messages", text, n)
		}
		if s.accepted[text] == "" {
			t.Errorf("%q was sent, and accepted from nobody", text)
		}
	}
	for text := range s.accepted {
		if refs[text] == 0 && status[text] == "SENT" {
			t.Errorf("%q is SENT, and the gateway never had it", text)
		}
		if asked[text] > 1 && !f.deduplicates {
			t.Errorf("%q was handed over %d times", text, asked[text])
		}
	}
	t.Logf("answers %v, %d accepted, %d at the gateway, %d outcomes unknown", s.count, len(s.accepted), len(refs), unknown)
}

// finalStatuses waits until every accepted message is SENT, or has an unknown outcome where that may be.
func (s *load) finalStatuses(f *remoteGateway) (status map[string]string, unknown int) {
	status = map[string]string{}
	type item struct{ text, id string }
	items := make(chan item, len(s.accepted))
	for text, id := range s.accepted {
		items <- item{text, id}
	}
	close(items)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range items {
				r := s.final(i.id)
				e, _ := r.body["error"].(map[string]any)
				lost := r.text("status") == "FAILED" && e["code"] == "outcome_unknown" && !f.deduplicates
				if r.text("status") != "SENT" && !lost {
					s.t.Errorf("%q ended as %s", i.text, r.raw)
				}
				mu.Lock()
				if status[i.text] = r.text("status"); lost {
					unknown++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return status, unknown
}

// finalStatus waits until a message is done. One whose commit had an unknown outcome waits until it is due.
func (s *load) final(id string) *reply {
	var last *reply
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		r, err := call("GET", s.api+"/api/status/"+id, "", "Authorization: Bearer "+s.key)
		if err != nil {
			continue
		}
		if last = r; r.text("status") == "SENT" || r.text("status") == "FAILED" {
			return r
		}
	}
	if last == nil {
		return &reply{raw: "nothing"}
	}
	return last
}

// The gateway of a channel stops answering, and works again.
func TestFaults_AGatewayThatIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chat, sms := newRemoteGateway(t, true), newRemoteGateway(t, true)
			database := url(t)
			key := withSenders(t, database, "free", map[gateway.Channel]string{gateway.WhatsApp: "chat", gateway.SMS: "sms"})
			s := startServeWith(t, database, "gateways:"+chat.settings("chat", "whatsapp")+sms.settings("sms", "sms"))
			send := func(channel, text, more string, status int, want string, used float64) *reply {
				t.Helper()
				r, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":%q,"to":"22376000001","message":%q%s}`, channel, text, more), "Authorization: Bearer "+key)
				if err != nil {
					t.Fatal(err)
				}
				if r.status != status || r.text("status") != want && r.text("code") != want || (used > 0 || status == 502) && r.body["messagesUsed"] != used {
					t.Errorf("%s: %d %s, want %d %s, %v used", text, r.status, r.raw, status, want, used)
				}
				return r
			}
			send("whatsapp", "before", "", 200, "SENT", 1)
			chat.close()
			if r := send("auto", "auto falls over", "", 200, "SENT", 2); r.text("channel") != "sms" {
				t.Errorf("auto went by %s", r.text("channel"))
			}
			chat.listen() // no probe has been made yet
			send("whatsapp", "back at once", "", 200, "SENT", 3)
			chat.close()
			send("whatsapp", "no retry", "", 502, "FAILED", 3)
			waits := send("whatsapp", "retried", `,"retry":{"maxAttempts":10,"delayMs":400},"idempotencyKey":"r"`, 202, "QUEUED", 4)
			send("whatsapp", "known to be gone", "", 409, "gateway_not_connected", 0)
			send("sms", "meanwhile", "", 200, "SENT", 5)
			if r := send("auto", "auto goes elsewhere", "", 200, "SENT", 6); r.text("channel") != "sms" {
				t.Errorf("auto went by %s", r.text("channel"))
			}
			eventually(t, 10*time.Second, func() error { // it was probed, and does not answer
				r, err := call("GET", s.api+"/api/status/"+waits.text("messageId"), "", "X-API-Key: "+key)
				if err != nil || strings.Count(r.raw, `"retry"`) < 2 {
					return fmt.Errorf("%w: %s", errNotYet, r.raw)
				}
				return nil
			})
			chat.listen()
			eventually(t, 20*time.Second, func() error {
				r, err := call("GET", s.api+"/api/status/"+waits.text("messageId"), "", "X-API-Key: "+key)
				if err != nil || r.text("status") != "SENT" {
					return fmt.Errorf("%w: %s", errNotYet, r.raw)
				}
				return nil
			})
			if r := send("whatsapp", "retried", `,"retry":{"maxAttempts":10,"delayMs":400},"idempotencyKey":"r"`, 200, "SENT", 6); r.body["deduplicated"] != true {
				t.Errorf("replay: %s", r.raw)
			}
			send("whatsapp", "after", "", 200, "SENT", 7)
			asked, refs := chat.delivered()
			for _, text := range []string{"before", "back at once", "retried", "after"} {
				if asked[text] != 1 {
					t.Errorf("%q arrived %d times", text, asked[text])
				}
			}
			if len(refs) != 4 {
				t.Errorf("by chat went %v", refs)
			}
			if _, refs = sms.delivered(); len(refs) != 3 {
				t.Errorf("by SMS went %v", refs)
			}
		})
	}
}

// PostgreSQL drops its connections, and is then gone for a while, under traffic.
func TestFaults_TheDatabaseIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprintf("deduplicates=%v", deduplicates), func(t *testing.T) {
			t.Parallel()
			pg := dbtest.NewServer(t)
			f := newRemoteGateway(t, deduplicates)
			key := withSenders(t, pg.URL, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := startServeWith(t, pg.URL, "unknown_wait: 1s\nlog: {level: error}\ngateways:"+f.settings("far", "sms"))
			load := startLoad(t, s.api, key, 8)
			load.waitForStatus(200, 20)
			for range 3 {
				pg.Disconnect()
				load.waitForStatus(200, 20)
			}
			pg.Stop()
			load.waitForStatus(503, 20)
			if r, err := call("GET", s.internal+"/readyz", ""); err != nil || r.status != 503 {
				t.Errorf("readyz: %v, %+v", err, r)
			}
			for path, method := range map[string]string{"/api/svc-logs": "GET", "/api/svc-analytics": "GET", "/api/send/batch": "POST", "/api/otp/send": "POST"} {
				body := map[string]string{"/api/send/batch": `{"messages":[{"channel":"sms","to":"22376000001","message":"x"}]}`, "/api/otp/send": `{"to":"22376000001","channel":"sms"}`}[path]
				if r, err := call(method, s.api+path, body, "Authorization: Bearer "+key); err != nil || r.status != 503 || r.text("code") != "storage_unavailable" || r.header.Get("Retry-After") == "" {
					t.Errorf("%s: %v, %+v", path, err, r)
				}
			}
			pg.Start()
			load.waitForStatus(200, 20) // by itself
			s.answers(t, http.StatusOK)
			load.check(f)
		})
	}
}

// SIGTERM under traffic, with a gateway that hangs: the process ends well and in time, and the next one finishes what is left.
func TestFaults_SIGTERMUnderTraffic(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	f := newRemoteGateway(t, true)
	key := withSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	s := startServeWith(t, database, "gateways:"+f.settings("far", "sms"))
	f.mu.Lock()
	f.hangs = make(chan struct{})
	f.mu.Unlock()
	load := startLoad(t, s.api, key, 8)
	load.waitForStatus(200, 50)
	load.send("hang", 9) // 202: it hangs in the gateway
	load.waitForStatus(200, 20)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	signaled := time.Now()
	if err := waitExit(s.cmd); err != nil {
		t.Errorf("after %v it ended with %v\n%s", time.Since(signaled), err, s.out)
	}
	if took, most := time.Since(signaled), 30*time.Second; took > most {
		t.Errorf("it ended after %v, want at most %v", took, most)
	}
	load.end()
	close(f.hangs)
	s.again(t)
	load.check(f)
	if load.accepted["hang"] == "" {
		t.Error("the one that hung was not accepted")
	}
}

// The disk is full, for a while: nothing can be stored, so nothing is accepted.
func TestFaults_TheDiskIsFullForAWhile(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(t *testing.T, s *server){
		"until there is room": func(t *testing.T, s *server) { limitFiles(t, s, "unlimited") },
		"until a restart": func(t *testing.T, s *server) {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			s.again(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "griot.db")
			f := newRemoteGateway(t, true)
			key := withSenders(t, "sqlite:"+path, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := startServeWith(t, "sqlite:"+path, "log: {level: error}\ngateways:"+f.settings("far", "sms"))
			load := startLoad(t, s.api, key, 8)
			load.waitForStatus(200, 50)
			info, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			limitFiles(t, s, strconv.FormatInt(info.Size(), 10))
			load.waitForStatus(http.StatusServiceUnavailable, 20)
			s.answers(t, http.StatusServiceUnavailable)
			for text, id := range load.some(3) { // what is there can be read
				if r, err := call("GET", s.api+"/api/status/"+id, "", "Authorization: Bearer "+key); err != nil || r.status != 200 {
					t.Errorf("%s: %v, %+v", text, err, r)
				}
			}
			back(t, s)
			s.answers(t, http.StatusOK) // though no request has written since
			load.waitForStatus(200, 50)
			load.check(f)
		})
	}
}

// answers waits until each of the server's health endpoints answers with a status.
func (s *server) answers(t *testing.T, status int) {
	t.Helper()
	for _, url := range []string{s.api + "/healthz", s.auth + "/healthz", s.internal + "/readyz"} {
		eventually(t, 20*time.Second, func() error {
			if r, err := call("GET", url, ""); err != nil || r.status != status {
				return fmt.Errorf("%s: %d, want %d: %w", url, r.status, status, errNotYet)
			}
			return nil
		})
	}
}

// limitFiles acts as a full disk: no file of the server can grow beyond so many bytes.
func limitFiles(t *testing.T, s *server, bytes string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(s.cmd.Process.Pid), "--fsize="+bytes+":unlimited").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// some returns a few of the accepted messages.
func (s *load) some(n int) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for text, id := range s.accepted {
		if len(out) < n {
			out[text] = id
		}
	}
	return out
}

// PostgreSQL accepts connections, and does not answer.
func TestFaults_TheDatabaseHangs(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	p := startDev(t, t.TempDir(), "--database", url, "--phones", "memory")
	release := dbtest.Lock(t, url, "messages", "quotas", "accounts")
	const sms = `{"channel":"sms","to":"22376000001","message":"x","idempotencyKey":"k"}`
	if r := p.send(p.Accounts.Free.LiveKey, sms); r.status != 503 || r.text("code") != "storage_unavailable" || r.header.Get("Retry-After") == "" {
		t.Errorf("got %d %s, want 503 storage_unavailable with Retry-After", r.status, r.raw)
	}
	release()
	if r := p.send(p.Accounts.Free.LiveKey, sms); r.status != 200 || r.body["messagesUsed"] != float64(1) || len(p.phone("22376000001")) != 1 {
		t.Errorf("got %d %s, want 200, one message used and on the phone", r.status, r.raw)
	}
}
