package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
)

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
			waitUntilConnected(t, s.api, key)
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
