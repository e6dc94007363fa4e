package command_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// The data of both services about a person is exported and erased. Afterward, no table of the database has their
// number, in any form, nor a hash that could be found by trying numbers. This holds with a server and without one.
func TestAdminPeople_NoTableHasTheNumberAfterwards(t *testing.T) {
	for _, engine := range []string{"sqlite", "pgx"} {
		t.Run(engine, func(t *testing.T) { erasesPeople(t, engine) })
	}
}

func erasesPeople(t *testing.T, engine string) {
	t.Helper()
	dir := t.TempDir()
	db := "file:" + filepath.Join(dir, "griot.db") + "?mode=ro"
	if engine == "pgx" {
		db = dbtest.PostgresURL(t)
		t.Setenv("GRIOT_DATABASE", db) // of the server, and of the commands without one
	}
	p := systemtest.StartDev(t, dir)
	o := p.Operator()
	occurrences := func(t *testing.T, number string) map[string]int {
		t.Helper()
		return rowsWith(t, engine, db, number)
	}
	const number, second = "22300000001", "22376004243" // TrySignIn uses the first
	if r := systemtest.SignIn(t, p.AuthURL, &authverbs.Client{ClientID: p.Clients.TestPublic.ClientID, RedirectURIs: []string{p.Clients.TestPublic.RedirectURI}}); r.Status != http.StatusCreated {
		t.Fatal(r.Raw)
	}
	b := p.Accounts.Business
	for _, to := range []string{number, second} {
		for _, path := range []string{"/api/send", "/api/otp/send"} {
			body := fmt.Sprintf(`{"channel":"sms","to":"+%s","message":"To %s","metadata":{"whom":"%s"}}`, to, to, to)
			if path == "/api/otp/send" {
				body = fmt.Sprintf(`{"channel":"sms","to":"%s"}`, to)
			}
			if r := p.Call("POST", p.BaseURL+path, body, "Authorization: Bearer "+b.LiveKey, "Idempotency-Key: key-"+path[5:8]+"-"+to); r.Status/100 != 2 {
				t.Fatal(r.Raw)
			}
		}
		for _, said := range []string{"Bonjour from " + to, "STOP"} {
			if r := p.Call("POST", p.BaseURL+"/dev/phones/"+to+"/messages", fmt.Sprintf(`{"channel":"whatsapp","to":"%s","text":"%s","displayName":"Awa"}`, b.WhatsAppNumber, said)); r.Status/100 != 2 {
				t.Fatal(r.Raw)
			}
		}
		if r := p.Call("POST", p.BaseURL+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"%s","message":"Later","scheduledAt":%q}`, to, time.Now().Add(48*time.Hour).UTC().Format(time.RFC3339)), "Authorization: Bearer "+b.LiveKey); r.Status != http.StatusAccepted {
			t.Fatal(r.Raw)
		}
	}
	waittest.Until(t, func() error {
		if n := occurrences(t, second); n["inbox_messages"] == 0 || n["conversations"] == 0 {
			return fmt.Errorf("found in %v, want it in the inbox", n)
		}
		return nil
	})
	before := occurrences(t, number)
	for _, table := range []string{"profiles", "login_sessions", "messages", "idempotency_keys", "conversations", "inbox_messages", "opt_outs", "otp_challenges"} {
		if before[table] == 0 {
			t.Errorf("%s has nothing of the person, before anything is erased: %v", table, before)
		}
	}
	var has struct {
		Tenants  []authverbs.PersonData
		Accounts []messagingverbs.PersonData
	}
	if err := json.Unmarshal([]byte(o.Run("people", "export", "+"+number)), &has); err != nil {
		t.Fatal(err)
	}
	if len(has.Tenants) != 1 || len(has.Tenants[0].Logins) != 1 || len(has.Tenants[0].Events) == 0 || len(has.Accounts) != 1 || !strings.Contains(string(has.Accounts[0].Data), "To "+number) {
		t.Errorf("exported %+v", has)
	}
	o.MustEnd(2, "can't be undone", "people", "erase", number)
	o.MustFail("Specify the person by a phone number", "people", "erase", "--yes", "12")
	if out := o.Run("people", "erase", "--yes", number); !strings.Contains(out, "tenant "+p.Tenant.ID) || !strings.Contains(out, "account "+b.ID) {
		t.Errorf("erased %s", out)
	}
	p.Stop()
	o.Run("people", "erase", "--yes", second) // on the database of a stopped server
	for _, who := range []string{number, second} {
		if n := occurrences(t, who); len(n) > 0 {
			t.Errorf("%s is left in %v", who, n)
		}
	}
}

// rowsWith counts, table by table, the rows of a database that contain a number in any form, or an unkeyed hash of it.
func rowsWith(t *testing.T, engine, database, number string) map[string]int {
	t.Helper()
	c, err := sql.Open(engine, database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	forms := []string{number}
	if !strings.HasPrefix(number[3:], "0000") { // within its country; zeros also occur in other values
		forms = append(forms, number[3:])
	}
	for _, form := range []string{number, "+" + number, "tel:+" + number, number[3:]} {
		sum := sha256.Sum256([]byte(form))
		forms = append(forms, hex.EncodeToString(sum[:])[:20], base64.RawURLEncoding.EncodeToString(sum[:])[:20], base64.RawStdEncoding.EncodeToString(sum[:])[:20], base64.StdEncoding.EncodeToString([]byte(form))[:8])
	}
	found := map[string]int{}
	for table, columns := range tablesOf(t, engine, c) {
		eachRow(t, c, `SELECT `+strings.Join(columns, ", ")+` FROM `+table, len(columns), func(values []any) {
			if slices.ContainsFunc(values, func(v any) bool {
				text := fmt.Sprintf("%s", v)
				return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
			}) {
				found[table]++
			}
		})
	}
	return found
}

// eachRow calls do with the values of each row.
func eachRow(t *testing.T, c *sql.DB, text string, columns int, do func([]any)) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	values, to := make([]any, columns), make([]any, columns)
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		do(values)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// tablesOf returns all tables with all their columns.
func tablesOf(t *testing.T, engine string, c *sql.DB) map[string][]string {
	t.Helper()
	text := `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`
	if engine == "pgx" {
		text = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`
	}
	out := map[string][]string{}
	eachRow(t, c, text, 2, func(values []any) {
		table := fmt.Sprint(values[0])
		out[table] = append(out[table], fmt.Sprintf("%q", values[1]))
	})
	if len(out) < 40 {
		t.Fatalf("%d tables, want all", len(out))
	}
	return out
}
