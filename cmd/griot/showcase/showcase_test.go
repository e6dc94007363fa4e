package showcase_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/cmd/griot/showcase"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is an account and a tenant on a database, as `griot dev` creates them.
type world struct {
	*messagingtest.World
	options showcase.Options
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "business", func(s *account.Spec) { s.Projects = []string{"Boutique"} })}
	projects, err := account.Projects(d.Read(t.Context()), w.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	tenants := tenant.New(d, w.Clock.Now)
	made, err := tenants.CreateTenant(t.Context(), "Kalabash")
	if err != nil {
		t.Fatal(err)
	}
	w.options = showcase.Options{
		DB: d, Messages: w.Delivery, Account: w.Account, ProjectID: projects[0].ID, Now: w.Clock.Now(),
		OTP:    w.OTP,
		Logins: login.New(login.Options{DB: d, Key: w.Master, Now: w.Clock.Now, Issuer: authtest.Issuer, Receivers: []login.Receiver{{PhoneID: "22370000099"}}}),
	}
	for _, mode := range []tenant.Mode{tenant.Live, tenant.Test} {
		c, _, err := tenants.CreateClient(t.Context(), made.ID, tenant.Public, mode, []string{authtest.LocalRedirect})
		if err != nil {
			t.Fatal(err)
		}
		w.options.Clients = append(w.options.Clients, c)
	}
	return w
}

// seed stores the history.
func (w *world) seed(t *testing.T) {
	t.Helper()
	begun := time.Now()
	if err := showcase.Seed(t.Context(), w.options); err != nil {
		t.Fatal(err)
	}
	t.Logf("stored in %s", time.Since(begun).Round(time.Millisecond))
}

// rows returns the result of a query, one text per row.
func (w *world) rows(t *testing.T, query string) (out []string) {
	t.Helper()
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		err = rows.Scan(values...)
		var b strings.Builder
		for _, v := range values {
			if s, ok := v.(*sql.NullString); ok {
				fmt.Fprintf(&b, "%s ", s.String)
			}
		}
		out = append(out, b.String())
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// history returns the data that is the same at each start: all except ids.
func (w *world) history(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, query := range []string{
		`SELECT requested_channel, channel, recipient, content, status, rank, created_at, sent_at, delivered_at, read_at, failed_at, scheduled_at, failure, route_index, calls, tries, metadata, source FROM messages ORDER BY created_at, recipient, content`,
		`SELECT direction, channel, type, content, from_address, at FROM inbox_messages ORDER BY at, from_address, content`,
		`SELECT phone, name, last_at, last_preview, unread FROM conversations ORDER BY phone`,
		`SELECT type, at, actor, mode, result, error_code, phone, ip FROM audit_events WHERE login_id IS NOT NULL ORDER BY at, type, phone`,
		`SELECT address, attempts, created_at, expires_at, used_at FROM otp_challenges ORDER BY created_at, address`,
		`SELECT phone, mode, display_name, first_seen_at FROM profiles ORDER BY phone, mode`,
		`SELECT day, used FROM quotas ORDER BY day`,
		`SELECT e.type, e.created_at, e.tries, e.delivered_at, e.failed_at, a.at, a.status, a.latency FROM webhook_events e JOIN webhook_attempts a ON a.event_id = e.id ORDER BY e.created_at, a.at, a.latency`,
		`SELECT channel, address, reason, at FROM opt_outs ORDER BY address`,
	} {
		rows := w.rows(t, query)
		if len(rows) == 0 {
			t.Errorf("nothing in: %s", query)
		}
		all = append(all, rows...)
	}
	return all
}

func TestSeed_IsTheSameAtEachStart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		t.Helper()
		w, other := newWorld(t, d), newWorld(t, dbtest.SQLite(t))
		w.seed(t)
		other.seed(t)
		got, want := w.history(t), other.history(t)
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("row %d of %d\n got %s\nwant %s", i, len(got), got[i], want[i])
				}
			}
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		w.seed(t)
		if again := w.history(t); !slices.Equal(again, got) {
			t.Errorf("a second time there are %d rows, want the %d of the first", len(again), len(got))
		}
	})
}

func TestSeed_HasEverythingThatAPageShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.seed(t)
	now := db.Ms(w.options.Now)
	for what, query := range map[string]string{
		"a message by each channel":           `SELECT count(DISTINCT channel) = 3 FROM messages`,
		"some that changed their channel":     `SELECT count(*) > 20 FROM messages WHERE requested_channel = 'auto' AND channel = 'sms' AND route_index = 2`,
		"five codes of failures":              `SELECT count(DISTINCT failure) >= 5 FROM messages WHERE status = 'FAILED'`,
		"codes without their text":            `SELECT count(*) > 50 AND SUM(content = '{}') = count(*) FROM messages WHERE sensitive = 1`,
		"verified codes of the last day":      `SELECT count(*) > 0 FROM otp_challenges WHERE used_at IS NOT NULL`,
		"codes that nobody verified":          `SELECT count(*) >= 8 FROM otp_challenges WHERE used_at IS NULL AND prefix LIKE '22507%'`,
		"unread conversations":                `SELECT unread > 0 AND unread = (SELECT SUM(unread) FROM conversations) FROM inbox_states`,
		"answers in conversations":            `SELECT count(*) > 10 FROM inbox_messages WHERE direction = 'out'`,
		"a person who wants no more messages": `SELECT count(*) > 0 FROM opt_outs WHERE reason = 'said'`,
		"events that an endpoint got":         `SELECT count(*) > 40 FROM webhook_events e WHERE delivered_at > created_at AND failed_at IS NULL`,
		"some after a failed attempt":         `SELECT count(*) > 3 FROM webhook_events WHERE tries = 1 AND delivered_at IS NOT NULL`,
		"some that were given up":             `SELECT count(*) > 0 FROM webhook_events WHERE tries = 10 AND failed_at IS NOT NULL AND delivered_at IS NULL`,
		"one of them sent again":              `SELECT count(*) = 1 FROM webhook_events e WHERE tries = 0 AND delivered_at IS NOT NULL AND (SELECT count(*) FROM webhook_attempts a WHERE a.event_id = e.id) = 11`,
		"each attempt of these":               `SELECT SUM(version) = (SELECT count(*) FROM webhook_attempts) FROM webhook_events`,
		"no event to be delivered":            `SELECT count(*) = 0 FROM webhook_events WHERE due_at IS NOT NULL`,
		"logins that ended at each step": `SELECT SUM(type = 'login.started') > SUM(type = 'login.activated') AND SUM(type = 'login.activated') > SUM(type = 'login.verified')
			AND SUM(type = 'login.verified') > SUM(type = 'token.issued') AND SUM(type = 'login.conflict') > 0 FROM audit_events`,
		"sessions of the last day only":   fmt.Sprintf(`SELECT count(*) > 0 AND MIN(created_at) > %d FROM login_sessions WHERE status = 'CONSUMED'`, now-24*time.Hour.Milliseconds()),
		"nothing from the future":         fmt.Sprintf(`SELECT MAX(created_at) <= %d AND MAX(read_at) <= %[1]d AND MAX(failed_at) <= %[1]d FROM messages`, now),
		"nothing to be sent at once":      fmt.Sprintf(`SELECT MIN(due_at) > %d FROM messages`, now+30*time.Minute.Milliseconds()),
		"a quota of each message":         `SELECT (SELECT SUM(used) FROM quotas) = (SELECT count(*) FROM messages WHERE status <> 'SANDBOX' AND NOT (status IN ('FAILED', 'EXPIRED', 'CANCELED') AND handed_over IS NULL))`,
		"every step in its order in time": `SELECT count(*) = 0 FROM messages WHERE sent_at < created_at OR delivered_at < sent_at OR read_at < delivered_at`,
	} {
		if got := w.rows(t, query); len(got) != 1 || strings.TrimSpace(got[0]) != "1" {
			t.Errorf("%s: got %q, want 1 of %s", what, got, query)
		}
	}
	var missing []message.Status
	there := w.rows(t, `SELECT DISTINCT status FROM messages`)
	for _, s := range message.Statuses() {
		if s != message.Sending && !slices.Contains(there, string(s)+" ") {
			missing = append(missing, s)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no message is %v", missing)
	}
}
