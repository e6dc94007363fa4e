package operate_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// everything returns all data of a process that others can read: its directory, its database, its log, the events that
// its webhooks received, and its API's responses.
func everything(p *systemtest.Dev, h *systemtest.WebhookServer, database string, ids []string) map[string]string {
	p.T.Helper()
	all := map[string]string{"the log": p.Out.String()}
	files := 0
	err := filepath.WalkDir(p.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[filepath.Base(path)], files = string(b), files+1
		return err
	})
	if err != nil || files < 2 {
		p.T.Fatalf("%d files, %v", files, err)
	}
	if database != "" {
		all["the dump"] = dbtest.Dump(p.T, database)
	}
	for _, d := range h.Received() {
		all["a webhook"] += d.Body + "\n"
	}
	key := "Authorization: Bearer " + p.Accounts.Business.LiveKey
	for _, path := range []string{"/api/svc-logs", "/api/svc-analytics"} {
		all[path] = p.Call("GET", p.BaseURL+path, "", key).Raw
	}
	for _, id := range ids {
		all["a status"] += p.Call("GET", p.BaseURL+"/api/status/"+id, "", key).Raw
	}
	return all
}

// Sensitive content is nowhere in plain text, neither during its delivery nor afterward. Afterward, it is not even
// stored sealed.
func TestSecrets_AreInClearNowhere(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir, database, args := t.TempDir(), "", []string(nil)
			h := systemtest.NewWebhookServer(t, systemtest.AcceptsAll)
			args = append(args, "--webhook-url", h.Url, "--phones", "memory")
			if engine == "postgres" {
				database = dbtest.PostgresURL(t)
				args = append(args, "--database", database)
			}
			p := systemtest.StartDevWith(t, systemtest.Binary, dir, append(systemtest.Environ(), "GRIOT_UNKNOWN_WAIT=3s"), args...)
			p.Call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false,"receipts":false}`)
			secrets := []string{"48291377", "73915461", "55190218", "zebra-pass", "girafe-mot", "89120044"}
			bodies := []string{
				`{"channel":"sms","to":"22376000001","message":"votre code 48291377","sensitive":true,"idempotencyKey":"a"}`,
				`{"channel":"whatsapp","to":"22376000001","preset":"otp","presetVariables":{"code":"73915461"}}`,
				`{"channel":"email","to":"awa@example.com","subject":"zebra-pass","message":"55190218","html":"<b>girafe-mot</b>","sensitive":true}`,
				`{"channel":"auto","to":"22376000002","message":"89120044","sensitive":true,"retry":{"delayMs":1000}}`,
			}
			key := "Authorization: Bearer " + p.Accounts.Business.LiveKey
			var ids []string
			accepted := func(path, body string, statuses ...int) *systemtest.Reply {
				t.Helper()
				r := p.Call("POST", p.BaseURL+path, body, key)
				for _, s := range statuses {
					if r.Status == s {
						ids = append(ids, r.Text("messageId"))
						return r
					}
				}
				t.Fatalf("%d %s", r.Status, r.Raw)
				return nil
			}
			seen := func(when string) {
				t.Helper()
				all := everything(p, h, database, ids)
				if !strings.Contains(all["a status"], ids[0]) || !strings.Contains(all["a webhook"], `"event"`) || !strings.Contains(all["the log"], "request") {
					t.Fatal("the search finds nothing at all")
				}
				if engine == "postgres" && !strings.Contains(all["the dump"], ids[0]) {
					t.Fatal("the dump is empty")
				}
				for what, text := range all {
					for _, secret := range secrets {
						if strings.Contains(text, secret) {
							t.Errorf("%s, %s holds %s", when, what, secret)
						}
					}
				}
			}
			p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa) // content that can be shown
			h.WaitFor(t, 1)
			for _, channel := range []string{"whatsapp", "sms", "email"} {
				p.Call("PUT", p.BaseURL+"/dev/faults/"+channel, `{"outcome":"lost_ack","count":9}`)
			}
			for _, body := range bodies {
				accepted("/api/send", body, 202)
			}
			issued := accepted("/api/otp/send", `{"to":"22376000003","channel":"sms","length":8,"app":"shop.example"}`, 200, 202)
			phone := p.Phone("22376000003")
			if len(phone) != 1 {
				t.Fatalf("%s: the phone has %d", issued.Raw, len(phone))
			}
			secrets = append(secrets, regexp.MustCompile(`\b[0-9]{8}\b`).FindString(phone[0].Text))
			if secrets[len(secrets)-1] == "" {
				t.Fatalf("no code in %q", phone[0].Text)
			}
			seen("on its way")
			for _, channel := range []string{"whatsapp", "sms", "email"} {
				p.Call("PUT", p.BaseURL+"/dev/faults/"+channel, `{"outcome":"none"}`)
			}
			for _, body := range bodies { // and some that arrive, or are refused
				accepted("/api/send", strings.Replace(body, `"idempotencyKey":"a"`, `"idempotencyKey":"b"`, 1), 200)
			}
			p.Call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"permanent","count":1}`)
			accepted("/api/send", `{"channel":"sms","to":"22376000001","message":"48291377","sensitive":true}`, 502)
			for _, id := range ids {
				waittest.Until(t, func() error {
					switch s := p.Call("GET", p.BaseURL+"/api/status/"+id, "", key); s.Text("status") {
					case "SENT", "DELIVERED", "FAILED":
						return nil
					default:
						return fmt.Errorf("%w: %s", systemtest.ErrNotYet, s.Raw)
					}
				})
			}
			h.WaitFor(t, len(ids)) // each final status is an event
			seen("afterward")
			p.Kill()
			if database == "" {
				database = "sqlite:" + filepath.Join(dir, "griot.db")
			}
			d, err := db.Open(t.Context(), database)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			var rows, kept int
			if _, err := d.Read(t.Context()).Row(`SELECT count(*), COALESCE(SUM(CASE WHEN content <> '{}' THEN 1 ELSE 0 END), 0) FROM messages WHERE sensitive = 1`).Scan(&rows, &kept); err != nil {
				t.Fatal(err)
			}
			if rows != len(ids) || kept != 0 {
				t.Errorf("%d of %d sensitive messages keep something", kept, rows)
			}
		})
	}
}
