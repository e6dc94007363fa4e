package operate_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/token"
	authwebhooks "example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	messagingwebhooks "example.com/griot/messaging/webhooks"
	"example.com/griot/test/system/systemtest"
)

// boxPurposes are the purposes of sealed data in the database.
var boxPurposes = []string{"signing-key", "gateway-settings", "message-content", "inbox-media", "erased-person", "webhook-secret", "tenant-webhook", "lasting-secret"}

// opened counts, in all tables, the texts that only this key opens, by column.
func opened(t *testing.T, url string, master string) map[string]int {
	t.Helper()
	key, err := seal.ParseKey(master)
	systemtest.Must(t, err)
	d, err := db.Open(t.Context(), url)
	systemtest.Must(t, err)
	defer func() { systemtest.Must(t, d.Close()) }()
	list := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if d.Engine() == db.Postgres {
		list = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
	}
	var tables []string
	systemtest.Must(t, d.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		tables = append(tables, name)
		return err
	}, list))
	found := map[string]int{}
	for _, table := range tables {
		systemtest.Must(t, d.Read(t.Context()).Each(func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				return err
			}
			texts := make([]string, len(columns))
			for i, v := range values {
				texts[i] = fmt.Sprint(*v.(*any))
			}
			for i, text := range texts {
				if opens(key, text, texts) {
					found[table+"."+columns[i]]++
				}
			}
			return nil
		}, `SELECT * FROM "`+table+`"`))
	}
	return found
}

var sealedMember = regexp.MustCompile(`"sealed":"([^"]+)"`)

// opens reports whether a key opens a text, about any of the values of its row.
func opens(key *seal.Key, text string, row []string) bool {
	candidates := []string{text}
	for _, m := range sealedMember.FindAllStringSubmatch(text, -1) {
		candidates = append(candidates, m[1])
	}
	abouts := slices.Clone(row)
	if len(row) == 3 { // a part of a larger object
		abouts = append(abouts, row[0]+"/"+row[1])
	}
	for _, c := range candidates {
		if len(c) < 38 { // a nonce and a tag in base64
			continue
		}
		for _, purpose := range boxPurposes {
			box := key.Box(purpose)
			for _, about := range abouts {
				if _, err := box.Open(c, about); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// sealMore stores data that a story would take long to create: attachments, and a person who is being erased.
func sealMore(t *testing.T, url, master string, chunks int) {
	t.Helper()
	key, err := seal.ParseKey(master)
	systemtest.Must(t, err)
	d, err := db.Open(t.Context(), url)
	systemtest.Must(t, err)
	defer func() { systemtest.Must(t, d.Close()) }()
	media, erased, later := key.Box("inbox-media"), key.Box("erased-person"), time.Now().Add(24*time.Hour).UnixMilli()
	systemtest.Must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(`INSERT INTO inbox_messages (id, account_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at) VALUES ('msg_a', 'a', 'in', 'whatsapp', 'image', '', '1', 's', 'p', 0, $1)`, later); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO inbox_media (id, message_id, account_id, gateway, state, reason, source, event, tries, claim, due_at, size, mime_type, shown) VALUES ('med_a', 'msg_a', 'a', 'gone', 'pending', '', $1, $2, 0, '', $3, 0, '', 0)`,
			media.Seal([]byte("https://x"), "med_a"), media.Seal([]byte("{}"), "med_a"), later); err != nil {
			return err
		}
		for n := range chunks {
			if _, err := tx.Exec(`INSERT INTO inbox_media_chunks (media_id, n, sealed) VALUES ('med_a', $1, $2)`, n, media.Seal([]byte("chunk"), fmt.Sprint("med_a/", n))); err != nil {
				return err
			}
		}
		_, err := tx.Exec(`INSERT INTO person_erasures (id, account_id, pseudonym, person, step, position, messages, canceled, received, events, retry_at, created_at) VALUES ('era_a', 'a', 'erased-a', $1, 0, '', 0, 0, 0, 0, $2, 0)`, erased.Seal([]byte("223"), "era_a"), later)
		return err
	}))
}

// A master key is rotated while the servers run, and one of them is killed. In the end, nothing in any table opens with
// the previous key, everything opens with the new one, and the new one alone is enough.
func TestMasterKey_RotatedWhileServing(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			f := systemtest.NewRemoteGateway(t, true)
			key := systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "sms"})
			gateways := "gateways:" + f.Settings("sms", "sms")
			before, after := seal.NewMasterKey(), seal.NewMasterKey()
			s := systemtest.StartNode(t, database, gateways, before)
			send := func(more string) *systemtest.Reply {
				t.Helper()
				r, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"secret 1234","sensitive":true`+more+`}`, "Authorization: Bearer "+key)
				if err != nil || r.Status > 202 {
					t.Fatalf("sent: %v %v", r, err)
				}
				return r
			}
			s.Must(t, "", "admin", "pause") // so that its content stays sealed
			send(`,"idempotencyKey":"once"`)
			settings := filepath.Join(t.TempDir(), "gateway.yaml")
			systemtest.Must(t, os.WriteFile(settings, []byte(strings.ReplaceAll(strings.TrimPrefix(regexp.MustCompile(`(?s)settings: (.*)`).FindString(f.Settings("x", "sms")), "settings: "), "\n", "")), 0o600))
			s.Must(t, "", "admin", "gateways", "add", "stored", "--kind", "remote", "--settings", settings)
			s.Must(t, "", "admin", "webhooks", "set", "--account", "boutique@example.com", "--url", "https://example.com/hook")
			s.Must(t, "", "admin", "webhooks", "rotate-secret", "--account", "boutique@example.com")
			tenant := regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`).FindString(s.Must(t, "", "admin", "tenants", "create", "--name", "Boutique", "--json"))
			s.Must(t, "", "admin", "tenants", "webhook", "set", "--tenant", tenant, "--url", "https://example.com/hook")
			s.Must(t, "", "admin", "tenants", "webhook", "rotate-secret", "--tenant", tenant)
			if out, err := s.Griot(t, "", "admin", "master-key", "rotate"); err == nil || !strings.Contains(out, "master_key_previous_file") {
				t.Errorf("rotated without another key: %s", out)
			}
			systemtest.Must(t, stopNode(s))
			sealMore(t, database, before, 400)
			sealed := opened(t, database, before)
			var places []string
			for _, p := range slices.Concat(token.Sealed(), gatewaystore.Sealed(), delivery.Sealed(), inbox.Sealed(), erasure.Sealed(), messagingwebhooks.Queue().Sealed(), authwebhooks.Queue().Sealed()) {
				places = append(places, p.Name())
				if sealed[p.Name()] == 0 {
					t.Errorf("nothing is sealed in %s, of %v", p.Name(), sealed)
				}
			}
			if len(sealed) != len(places) {
				t.Errorf("sealed are %v, the rotation knows %v", sealed, places)
			}

			old := filepath.Join(s.Cmd.Dir, "before.key")
			systemtest.Must(t, errors.Join(os.WriteFile(old, []byte(before), 0o600), os.WriteFile(filepath.Join(s.Cmd.Dir, "master.key"), []byte(after), 0o600)))
			alone := slices.Clone(s.Cmd.Env)
			s.Cmd.Env = append(s.Cmd.Env, "GRIOT_MASTER_KEY_PREVIOUS_FILE="+old)
			s = s.Restart(t)
			rotating, said := s.Command("", "admin", "master-key", "rotate"), &systemtest.Buffer{}
			rotating.Stdout, rotating.Stderr = said, said
			systemtest.Must(t, rotating.Start())
			waittest.Until(t, func() error { // it has started
				if out, err := s.Griot(t, "", "admin", "master-key", "show"); err != nil || !strings.Contains(out, "started") {
					return fmt.Errorf("%w: %s", systemtest.ErrNotYet, out)
				}
				return nil
			})
			_ = s.Cmd.Process.Kill()
			_ = s.Cmd.Wait()
			if err := systemtest.WaitExit(rotating); err != nil && !strings.Contains(said.String(), "the server stopped before the rotation was complete") && !strings.Contains(said.String(), "no response from the server") {
				t.Errorf("the command, when its server dies: %v %s", err, said)
			}
			s = s.Restart(t)
			waittest.Until(t, func() error {
				if out, err := s.Griot(t, "", "admin", "master-key", "show", "--json"); err != nil || strings.Contains(out, `"finishedAt": null`) {
					return fmt.Errorf("%w: %s", systemtest.ErrNotYet, out)
				}
				return nil
			})
			if r := send(`,"idempotencyKey":"once"`); r.Body["deduplicated"] != true {
				t.Errorf("a repetition from before the rotation: %s", r.Raw)
			}
			t.Log(s.Must(t, "", "admin", "master-key", "rotate")) // once more, without a result
			if to := filepath.Join(t.TempDir(), "backup"); name == "sqlite" {
				s.Must(t, "", "backup", to)
				fresh, err := seal.ParseKey(after)
				systemtest.Must(t, err)
				if text, err := os.ReadFile(filepath.Join(to, "manifest.json")); err != nil || !strings.Contains(string(text), fresh.Name()) {
					t.Errorf("the backup names another key than %s: %s %v", fresh.Name(), text, err)
				}
			}
			systemtest.Must(t, stopNode(s))
			if left := opened(t, database, before); len(left) > 0 {
				t.Errorf("the key before still opens %v", left)
			}
			now := opened(t, database, after)
			for _, place := range places {
				if now[place] != sealed[place] {
					t.Errorf("%s: %d texts open with the new key, want %d", place, now[place], sealed[place])
				}
			}

			s.Cmd.Env = alone
			s = s.Restart(t)
			s.Must(t, "", "admin", "resume")
			waittest.Until(t, func() error { // its content opens with only the new key
				if sent, _ := f.Delivered(); sent["secret 1234"] != 1 {
					return systemtest.ErrNotYet
				}
				return nil
			})
			if out := s.Must(t, "", "admin", "gateways", "list"); !strings.Contains(out, "stored") {
				t.Errorf("gateways: %s", out)
			}
			systemtest.Must(t, stopNode(s))
			systemtest.Must(t, os.WriteFile(filepath.Join(s.Cmd.Dir, "master.key"), []byte(before), 0o600))
			if out, err := s.Griot(t, "", "admin", "keys", "list"); err == nil || !strings.Contains(out, "is not the one of this deployment") {
				t.Errorf("with the key before alone: %v %s", err, out)
			}
		})
	}
}

// stopNode ends a server like its supervisor.
func stopNode(s *systemtest.Server) error {
	return errors.Join(s.Cmd.Process.Signal(os.Interrupt), systemtest.WaitExit(s.Cmd))
}

// Code that seals new data must register it for the rotation, or be listed here with the reason that it needs none.
func TestMasterKey_KnowsEveryBox(t *testing.T) {
	t.Parallel()
	known := append(slices.Clone(boxPurposes),
		"dashboard-flash", "dashboard-whatsapp", "demo login", "sign-in-email", // cookies and form fields with a lifetime of a few minutes
		"account-unsent", "dashboard-unsent", "operator-unsent", // forms on sign-in pages, for an hour
		"virtual-phones") // of dev, which has no rotation
	box := regexp.MustCompile(`(?:\.Box\(|boxPurpose = |Box: +|lastingPurpose = )"([^"]+)"`)
	found := 0
	systemtest.Must(t, filepath.WalkDir("../../..", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "griot-whatsapp" || strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." && len(entry.Name()) > 2):
			return filepath.SkipDir // a separate module with its own key
		case !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range box.FindAllStringSubmatch(string(text), -1) {
			found++
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s seals in the box %q, which the rotation does not know", path, m[1])
			}
		}
		return err
	}))
	if found < len(known) {
		t.Errorf("%d boxes were found, want %d at least", found, len(known))
	}
}
