package crash_test

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
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// The gateway of a channel stops responding, and works again.
func TestFaults_AGatewayThatIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chat, sms := systemtest.NewRemoteGateway(t, true), systemtest.NewRemoteGateway(t, true)
			database := url(t)
			key := systemtest.WithSenders(t, database, "free", map[gateway.Channel]string{gateway.WhatsApp: "chat", gateway.SMS: "sms"})
			s := systemtest.StartServeWith(t, database, "gateways:"+chat.Settings("chat", "whatsapp")+sms.Settings("sms", "sms"))
			systemtest.WaitUntilConnected(t, s.Api, key)
			send := func(channel, text, more string, status int, want string, used float64) *systemtest.Reply {
				t.Helper()
				r, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":%q,"to":"22376000001","message":%q%s}`, channel, text, more), "Authorization: Bearer "+key)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != status || r.Text("status") != want && r.Text("code") != want || (used > 0 || status == 502) && r.Body["messagesUsed"] != used {
					t.Errorf("%s: %d %s, want %d %s, %v used", text, r.Status, r.Raw, status, want, used)
				}
				return r
			}
			send("whatsapp", "before", "", 200, "SENT", 1)
			chat.Close()
			if r := send("auto", "auto falls over", "", 200, "SENT", 2); r.Text("channel") != "sms" {
				t.Errorf("auto went by %s", r.Text("channel"))
			}
			chat.Listen() // no probe was made yet
			send("whatsapp", "back at once", "", 200, "SENT", 3)
			chat.Close()
			send("whatsapp", "no retry", "", 502, "FAILED", 3)
			waits := send("whatsapp", "retried", `,"retry":{"maxAttempts":10,"delayMs":400},"idempotencyKey":"r"`, 202, "QUEUED", 4)
			send("whatsapp", "known to be gone", "", 409, "gateway_not_connected", 0)
			send("sms", "meanwhile", "", 200, "SENT", 5)
			if r := send("auto", "auto goes elsewhere", "", 200, "SENT", 6); r.Text("channel") != "sms" {
				t.Errorf("auto went by %s", r.Text("channel"))
			}
			waittest.Until(t, func() error { // it was probed, and doesn't respond
				r, err := systemtest.Call("GET", s.Api+"/api/status/"+waits.Text("messageId"), "", "X-API-Key: "+key)
				if err != nil || strings.Count(r.Raw, `"retry"`) < 2 {
					return fmt.Errorf("%w: %s", systemtest.ErrNotYet, r.Raw)
				}
				return nil
			})
			chat.Listen()
			waittest.Until(t, func() error {
				r, err := systemtest.Call("GET", s.Api+"/api/status/"+waits.Text("messageId"), "", "X-API-Key: "+key)
				if err != nil || r.Text("status") != "SENT" {
					return fmt.Errorf("%w: %s", systemtest.ErrNotYet, r.Raw)
				}
				return nil
			})
			if r := send("whatsapp", "retried", `,"retry":{"maxAttempts":10,"delayMs":400},"idempotencyKey":"r"`, 200, "SENT", 6); r.Body["deduplicated"] != true {
				t.Errorf("replay: %s", r.Raw)
			}
			send("whatsapp", "after", "", 200, "SENT", 7)
			asked, refs := chat.Delivered()
			for _, text := range []string{"before", "back at once", "retried", "after"} {
				if asked[text] != 1 {
					t.Errorf("%q arrived %d times", text, asked[text])
				}
			}
			if len(refs) != 4 {
				t.Errorf("by chat went %v", refs)
			}
			if _, refs = sms.Delivered(); len(refs) != 3 {
				t.Errorf("by SMS went %v", refs)
			}
		})
	}
}

// PostgreSQL drops its connections, and is then unreachable for a while, under traffic.
func TestFaults_TheDatabaseIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	for _, deduplicates := range []bool{true, false} {
		t.Run(fmt.Sprintf("deduplicates=%v", deduplicates), func(t *testing.T) {
			t.Parallel()
			pg := dbtest.NewServer(t)
			f := systemtest.NewRemoteGateway(t, deduplicates)
			key := systemtest.WithSenders(t, pg.URL, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := systemtest.StartServeWith(t, pg.URL, "unknown_wait: 1s\nlog: {level: error}\ngateways:"+f.Settings("far", "sms"))
			load := systemtest.StartLoad(t, s.Api, key, 8)
			load.WaitForStatus(200, 20)
			for range 3 {
				pg.Disconnect()
				load.WaitForStatus(200, 20)
			}
			pg.Stop()
			load.WaitForStatus(503, 20)
			if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 503 {
				t.Errorf("readyz: %v, %+v", err, r)
			}
			for path, method := range map[string]string{"/api/svc-logs": "GET", "/api/svc-analytics": "GET", "/api/send/batch": "POST", "/api/otp/send": "POST"} {
				body := map[string]string{"/api/send/batch": `{"messages":[{"channel":"sms","to":"22376000001","message":"x"}]}`, "/api/otp/send": `{"to":"22376000001","channel":"sms"}`}[path]
				if r, err := systemtest.Call(method, s.Api+path, body, "Authorization: Bearer "+key); err != nil || r.Status != 503 || r.Text("code") != "storage_unavailable" || r.Header.Get("Retry-After") == "" {
					t.Errorf("%s: %v, %+v", path, err, r)
				}
			}
			pg.Start()
			load.WaitForStatus(200, 20) // without intervention
			answers(s, t, http.StatusOK)
			load.Check(f)
		})
	}
}

// SIGTERM under traffic, with a gateway that hangs: the process exits successfully and in time, and the next one
// completes the remaining messages. It takes half a minute, because the drain waits for the end of the hanging gateway
// call, after 15 seconds.
func TestFaults_SIGTERMUnderTraffic(t *testing.T) {
	t.Parallel()
	database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	f := systemtest.NewRemoteGateway(t, true)
	key := systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	s := systemtest.StartServeWith(t, database, "unknown_wait: 3s\ngateways:"+f.Settings("far", "sms"))
	f.Mu.Lock()
	f.Hangs = make(chan struct{})
	f.Mu.Unlock()
	load := systemtest.StartLoad(t, s.Api, key, 8)
	load.WaitForStatus(200, 50)
	load.Send("hang", 9) // 202: it hangs in the gateway
	load.WaitForStatus(200, 20)
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	signaled := time.Now()
	if err := systemtest.WaitExit(s.Cmd); err != nil {
		t.Errorf("after %v it ended with %v\n%s", time.Since(signaled), err, s.Out)
	}
	if took, most := time.Since(signaled), 30*time.Second; took > most {
		t.Errorf("it ended after %v, want at most %v", took, most)
	}
	load.End()
	close(f.Hangs)
	s.Restart(t)
	load.Check(f)
	if load.Accepted["hang"] == "" {
		t.Error("the one that hung was not accepted")
	}
}

// The disk is full for a while. Nothing can be stored, so nothing is accepted.
func TestFaults_TheDiskIsFullForAWhile(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]func(t *testing.T, s *systemtest.Server){
		"until there is room": func(t *testing.T, s *systemtest.Server) { limitFiles(t, s, "unlimited") },
		"until a restart": func(t *testing.T, s *systemtest.Server) {
			_ = s.Cmd.Process.Kill()
			_ = s.Cmd.Wait()
			s.Restart(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "griot.db")
			f := systemtest.NewRemoteGateway(t, true)
			key := systemtest.WithSenders(t, "sqlite:"+path, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := systemtest.StartServeWith(t, "sqlite:"+path, "log: {level: error}\ngateways:"+f.Settings("far", "sms"))
			load := systemtest.StartLoad(t, s.Api, key, 8)
			load.WaitForStatus(200, 50)
			info, err := os.Stat(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			limitFiles(t, s, strconv.FormatInt(info.Size(), 10))
			load.WaitForStatus(http.StatusServiceUnavailable, 20)
			answers(s, t, http.StatusServiceUnavailable)
			for text, id := range load.Some(3) { // stored data can be read
				if r, err := systemtest.Call("GET", s.Api+"/api/status/"+id, "", "Authorization: Bearer "+key); err != nil || r.Status != 200 {
					t.Errorf("%s: %v, %+v", text, err, r)
				}
			}
			back(t, s)
			answers(s, t, http.StatusOK) // although no request has written since
			load.WaitForStatus(200, 50)
			load.Check(f)
		})
	}
}

// answers waits until each of the server's health endpoints responds with a status.
func answers(s *systemtest.Server, t *testing.T, status int) {
	t.Helper()
	for _, url := range []string{s.Api + "/healthz", s.Auth + "/healthz", s.Internal + "/readyz"} {
		waittest.Until(t, func() error {
			if r, err := systemtest.Call("GET", url, ""); err != nil || r.Status != status {
				return fmt.Errorf("%s: %d, want %d: %w", url, r.Status, status, systemtest.ErrNotYet)
			}
			return nil
		})
	}
}

// limitFiles simulates a full disk: no file of the server can grow beyond a number of bytes.
func limitFiles(t *testing.T, s *systemtest.Server, bytes string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "prlimit", "--pid", strconv.Itoa(s.Cmd.Process.Pid), "--fsize="+bytes+":unlimited").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// PostgreSQL accepts connections, but doesn't respond.
func TestFaults_TheDatabaseHangs(t *testing.T) {
	t.Parallel()
	url := dbtest.PostgresURL(t)
	p := systemtest.StartDev(t, t.TempDir(), "--database", url, "--phones", "memory")
	release := dbtest.Lock(t, url, "messages", "quotas", "accounts")
	const sms = `{"channel":"sms","to":"22376000001","message":"x","idempotencyKey":"k"}`
	if r := p.Send(p.Accounts.Free.LiveKey, sms); r.Status != 503 || r.Text("code") != "storage_unavailable" || r.Header.Get("Retry-After") == "" {
		t.Errorf("got %d %s, want 503 storage_unavailable with Retry-After", r.Status, r.Raw)
	}
	release()
	if r := p.Send(p.Accounts.Free.LiveKey, sms); r.Status != 200 || r.Body["messagesUsed"] != float64(1) || len(p.Phone("22376000001")) != 1 {
		t.Errorf("got %d %s, want 200, one message used and on the phone", r.Status, r.Raw)
	}
}
