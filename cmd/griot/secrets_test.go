package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// everything returns what others may read of a process: its folder, its database, its log, the events that its webhooks
// got, and its API's answers.
func everything(p *process, h *webhookServer, database string, ids []string) map[string]string {
	p.t.Helper()
	all := map[string]string{"the log": p.out.String()}
	files := 0
	err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[filepath.Base(path)], files = string(b), files+1
		return err
	})
	if err != nil || files < 2 {
		p.t.Fatalf("%d files, %v", files, err)
	}
	if database != "" {
		all["the dump"] = dbtest.Dump(p.t, database)
	}
	for _, d := range h.got() {
		all["a webhook"] += d.body + "\n"
	}
	key := "Authorization: Bearer " + p.Accounts.Business.LiveKey
	for _, path := range []string{"/api/svc-logs", "/api/svc-analytics"} {
		all[path] = p.call("GET", p.BaseURL+path, "", key).raw
	}
	for _, id := range ids {
		all["a status"] += p.call("GET", p.BaseURL+"/api/status/"+id, "", key).raw
	}
	return all
}

// Sensitive content is nowhere in clear, neither during its delivery nor afterwards; afterwards it is not even kept sealed.
func TestSecrets_AreInClearNowhere(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir, database, args := t.TempDir(), "", []string(nil)
			h := newWebhookServer(t, accepts)
			args = append(args, "--webhook-url", h.url, "--phones", "memory")
			if engine == "postgres" {
				database = dbtest.PostgresURL(t)
				args = append(args, "--database", database)
			}
			p := start(t, binary, dir, append(environ(), "GRIOT_UNKNOWN_WAIT=3s"), args...)
			p.call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false,"receipts":false}`)
			secrets := []string{"48291377", "73915461", "55190218", "zebra-pass", "girafe-mot", "89120044"}
			bodies := []string{
				`{"channel":"sms","to":"22376000001","message":"votre code 48291377","sensitive":true,"idempotencyKey":"a"}`,
				`{"channel":"whatsapp","to":"22376000001","preset":"otp","presetVariables":{"code":"73915461"}}`,
				`{"channel":"email","to":"awa@example.com","subject":"zebra-pass","message":"55190218","html":"<b>girafe-mot</b>","sensitive":true}`,
				`{"channel":"auto","to":"22376000002","message":"89120044","sensitive":true,"retry":{"delayMs":1000}}`,
			}
			key := "Authorization: Bearer " + p.Accounts.Business.LiveKey
			var ids []string
			accepted := func(path, body string, statuses ...int) *reply {
				t.Helper()
				r := p.call("POST", p.BaseURL+path, body, key)
				for _, s := range statuses {
					if r.status == s {
						ids = append(ids, r.text("messageId"))
						return r
					}
				}
				t.Fatalf("%d %s", r.status, r.raw)
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
			p.send(p.Accounts.Business.LiveKey, smsToAwa) // something that may be shown
			h.waitFor(t, 1)
			for _, channel := range []string{"whatsapp", "sms", "email"} {
				p.call("PUT", p.BaseURL+"/dev/faults/"+channel, `{"outcome":"lost_ack","count":9}`)
			}
			for _, body := range bodies {
				accepted("/api/send", body, 202)
			}
			issued := accepted("/api/otp/send", `{"to":"22376000003","channel":"sms","length":8,"app":"shop.example"}`, 200, 202)
			phone := p.phone("22376000003")
			if len(phone) != 1 {
				t.Fatalf("%s: the phone has %d", issued.raw, len(phone))
			}
			secrets = append(secrets, regexp.MustCompile(`\b[0-9]{8}\b`).FindString(phone[0].Text))
			if secrets[len(secrets)-1] == "" {
				t.Fatalf("no code in %q", phone[0].Text)
			}
			seen("on its way")
			for _, channel := range []string{"whatsapp", "sms", "email"} {
				p.call("PUT", p.BaseURL+"/dev/faults/"+channel, `{"outcome":"none"}`)
			}
			for _, body := range bodies { // and some that arrive, or are refused
				accepted("/api/send", strings.Replace(body, `"idempotencyKey":"a"`, `"idempotencyKey":"b"`, 1), 200)
			}
			p.call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"permanent","count":1}`)
			accepted("/api/send", `{"channel":"sms","to":"22376000001","message":"48291377","sensitive":true}`, 502)
			for _, id := range ids {
				eventually(t, 30*time.Second, func() error {
					switch s := p.call("GET", p.BaseURL+"/api/status/"+id, "", key); s.text("status") {
					case "SENT", "DELIVERED", "FAILED":
						return nil
					default:
						return fmt.Errorf("%w: %s", errNotYet, s.raw)
					}
				})
			}
			h.waitFor(t, len(ids)) // each final status is an event
			seen("afterwards")
			p.kill()
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
