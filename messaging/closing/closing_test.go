package closing_test

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func open(*db.Tx) (refused, err error) { return nil, nil }

func sweep(t *testing.T, s *closing.Service) {
	t.Helper()
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// perTable counts an account's rows in each table that has any.
func perTable(t *testing.T, w *messagingtest.World, tables []string, accountID string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, name := range tables {
		if rows := w.Int(t, "SELECT count(*) FROM "+name+" WHERE account_id = $1", accountID); rows > 0 {
			n[name] = rows
		}
	}
	return n
}

// An account's data is erased when it can no longer be reopened, in every table of the schema with rows of accounts.
// Data of other accounts stays.
func TestSweep_ErasesAfter30Days(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro") // its engine does not run, because it would delete old rows in some tables
		other, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Projects: []string{"P"}, Senders: []account.Sender{{Channel: gateway.SMS, Address: "22370000099", Gateway: "fake"}}})
		if err != nil {
			t.Fatal(err)
		}
		tables := dbtest.TablesWith(t, d, "account_id", 20)
		fill(t, w, tables)
		others := perTable(t, w, tables, other.ID)
		if n := perTable(t, w, tables, w.Account.ID); len(n) != len(tables) {
			t.Fatalf("rows in %v, want some in each of %v", n, tables)
		}
		w.SetWebhook(t, "https://example.com/")
		if _, err := w.Directory.Close(t.Context(), w.Account, open); err != nil {
			t.Fatal(err)
		}
		s := w.Closing
		w.Clock.Advance(account.ClosedTime - time.Millisecond)
		sweep(t, s)
		if n := w.Int(t, "SELECT count(*) FROM accounts WHERE id = $1", w.Account.ID); n != 1 {
			t.Fatal("the account is erased too early")
		}
		w.Clock.Advance(time.Millisecond)
		if err := w.Directory.Reopen(t.Context(), w.Account.ID); err == nil {
			t.Error("an account that is about to be erased can be reopened")
		}
		sweep(t, s)
		sweep(t, s)
		w.FoldCounts(t) // so that log entries of its messages create no counters
		if n := perTable(t, w, tables, w.Account.ID); len(n) > 0 {
			t.Errorf("left of the account: %v; add these tables to erase.go", n)
		}
		if n := w.Int(t, "SELECT count(*) FROM whatsapp_links"); n != 1 { // of the owner of the other account
			t.Errorf("%d numbers are linked, want 1", n)
		}
		for _, text := range []string{"SELECT count(*) FROM sender_state_changes", "SELECT count(*) FROM accounts WHERE email = 'test-pro@example.com'", "SELECT count(*) FROM project_members", "SELECT count(*) FROM sender_counts"} {
			if n := w.Int(t, text); n != 0 {
				t.Errorf("%s: %d, want 0", text, n)
			}
		}
		if n := perTable(t, w, tables, other.ID); fmt.Sprint(n) != fmt.Sprint(others) {
			t.Errorf("of the other account: %v, want %v", n, others)
		}
		events, _, err := audit.List(d.Read(t.Context()), &audit.Filter{Action: audit.AccountErased, Limit: 10})
		if err != nil || len(events) != 1 || events[0].Target != w.Account.ID || len(events[0].Details) != 0 {
			t.Errorf("%v, %v; want that the account was erased, once, and nothing more of it", events, err)
		}
		if d.Engine() == db.SQLite {
			if found := dbtest.FilesWith(t, d, "test-pro@example.com"); len(found) > 0 {
				t.Errorf("the files have %q", found)
			}
		}
		if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Again", Email: "test-pro@example.com"}); err != nil {
			t.Errorf("its address is not free: %v", err)
		}
	})
}

// fill stores a row of the world's account in each table.
func fill(t *testing.T, w *messagingtest.World, tables []string) {
	t.Helper()
	for i := range 3 {
		w.Submit(t, &message.Request{To: fmt.Sprint("2237600000", i), Channel: gateway.SMS, Content: message.Content{Text: "x"}, IdempotencyKey: fmt.Sprint("k", i)})
	}
	if err := w.Inbox.Receive(t.Context(), gateway.Inbound{ID: "m", Gateway: "fake", Channel: gateway.WhatsApp, From: "22376000001", To: messagingtest.WhatsApp, MediaData: "bytes", At: w.Clock.Now()}); err != nil {
		t.Fatal(err)
	}
	p, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "P")
	if err != nil {
		t.Fatal(err)
	}
	w.Write(t, func(tx *db.Tx) error {
		for _, text := range []string{
			`INSERT INTO members (id, account_id, email, joined_at) VALUES ('m', $1, 'm@example.com', 0)`,
			`INSERT INTO members (id, account_id, email, joined_at) VALUES ('m2', $1, 'other@example.com', 0)`,
			`INSERT INTO whatsapp_links (email, issuer, subject, phone, linked_at) SELECT email, 'i', email, '', 0 FROM (SELECT email FROM accounts WHERE id = $1 UNION SELECT email FROM members) AS people`,
			`INSERT INTO account_sessions (id, email, account_id, token_hash, created_at, expires_at) VALUES ('s', 'm@example.com', $1, 'h', 0, 9999999999999)`,
			`INSERT INTO sender_pairings (id, sender_id, account_id, gateway, channel, address, method, started_by, connected, state, reason, started_at, tries) VALUES ('p', 's', $1, 'fake', 'sms', 'x', 'qr', '', 0, 'open', '', 0, 0)`,
		} {
			if _, err := tx.Exec(text, w.Account.ID); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`INSERT INTO project_members (member_id, project_id) VALUES ('m', $1)`, p.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO sender_state_changes (sender_id, id, at, state, reason) SELECT id, 'x', 0, 'connected', '' FROM senders WHERE account_id = $1`, w.Account.ID); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO inbox_reads (conversation_id, sender_id, account_id, from_revision, to_revision, at, tries, claim, due_at) SELECT id, 's', account_id, 0, 1, 0, 0, '', 0 FROM conversations WHERE account_id = $1`, w.Account.ID); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO sender_counts (sender_id, day, used) SELECT id, 0, 1 FROM senders WHERE account_id = $1`, w.Account.ID)
		return err
	})
	filled := perTable(t, w, tables, w.Account.ID)
	for _, name := range tables {
		if filled[name] == 0 {
			insertAny(t, w, name)
		}
	}
}

// insertAny stores a row in a table, with any value in each required column.
func insertAny(t *testing.T, w *messagingtest.World, name string) {
	t.Helper()
	text := `SELECT name, type FROM pragma_table_info($1) WHERE "notnull" = 1 AND dflt_value IS NULL OR name = 'account_id'`
	if w.DB.Engine() == db.Postgres {
		text = `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND (is_nullable = 'NO' AND column_default IS NULL OR column_name = 'account_id')`
	}
	columns, values := "", ""
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var column, typ string
		err := rows.Scan(&column, &typ)
		value := "'x'"
		switch {
		case column == "account_id":
			value = "$1"
		case column == "direction":
			value = "'in'"
		case typ == "bigint" || typ == "BIGINT" || typ == "integer" || typ == "INTEGER":
			value = "1"
		}
		columns, values = columns+", "+column, values+", "+value
		return err
	}, text, name)
	if err != nil || columns == "" {
		t.Fatalf("%s: %v", name, err)
	}
	w.Exec(t, "INSERT INTO "+name+" ("+columns[2:]+") VALUES ("+values[2:]+")", w.Account.ID)
}

// Messages that a dead process has left waiting are canceled by the next sweep.
func TestSweep_CancelsWhatWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro")
		w.Run(t, w.Delivery)
		var ids []string
		for i := range 3 {
			at := w.Clock.Now().Add(time.Hour)
			ids = append(ids, w.Submit(t, &message.Request{To: fmt.Sprint("2237600000", i), Channel: gateway.SMS, Content: message.Content{Text: "x"}, ScheduledAt: at}).Message.ID)
		}
		if _, err := w.Directory.Close(t.Context(), w.Account, open); err != nil {
			t.Fatal(err)
		}
		sweep(t, w.Closing)
		for _, id := range ids {
			w.Becomes(t, id, message.Canceled)
		}
		if n := w.Int(t, "SELECT sum(used) FROM quotas"); n != 0 || len(w.Gateway.Calls()) != 0 {
			t.Errorf("%d of the quota are used, %d calls; want none", n, len(w.Gateway.Calls()))
		}
	})
}

// A waiting message of a closed account is canceled when its turn comes.
func TestClosed_NothingGoesOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro")
		w.Run(t, w.Delivery)
		m := w.Submit(t, &message.Request{To: "22376000001", Channel: gateway.SMS, Content: message.Content{Text: "x"}, ScheduledAt: w.Clock.Now().Add(time.Hour)}).Message
		if _, err := w.Directory.Close(t.Context(), w.Account, open); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Hour)
		w.Becomes(t, m.ID, message.Canceled)
		if n := len(w.Gateway.Calls()); n != 0 {
			t.Errorf("%d calls of the gateway, want none", n)
		}
	})
}

// The database refuses a request whose key was read before the account was closed, on any node.
func TestClosed_NothingIsAccepted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro")
		w.Run(t, w.Delivery)
		stale := &account.Caller{Account: w.Account, Kind: account.Live, KeyID: "k"}
		if _, err := w.Directory.Close(t.Context(), w.Account, open); err != nil {
			t.Fatal(err)
		}
		request := func(key string) *message.Request {
			return &message.Request{To: "22376000001", Channel: gateway.SMS, Content: message.Content{Text: "x"}, IdempotencyKey: key}
		}
		for _, key := range []string{"", "k", "k"} {
			if _, err := w.Delivery.Submit(t.Context(), stale, request(key)); !errors.Is(err, apierror.AccountClosed.Err()) {
				t.Errorf("key %q: %v, want account_closed", key, err)
			}
		}
		for _, table := range []string{"messages", "idempotency_keys"} {
			if n := w.Int(t, "SELECT count(*) FROM "+table); n != 0 {
				t.Errorf("%d rows in %s, want none", n, table)
			}
		}
		if n := w.Int(t, "SELECT COALESCE(sum(used), 0) FROM quotas"); n != 0 {
			t.Errorf("%d of the quota are used, want none", n)
		}
	})
}

// If an account cannot be erased, the others still are.
func TestSweep_GoesOnAfterAnAccountThatFails(t *testing.T) {
	t.Parallel()
	w := messagingtest.New(t, dbtest.SQLite(t), "pro")
	other, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*account.Account{w.Account, other} {
		if _, err := w.Directory.Close(t.Context(), a, open); err != nil {
			t.Fatal(err)
		}
	}
	w.Exec(t, `CREATE TRIGGER kept BEFORE DELETE ON accounts WHEN old.id = (SELECT min(id) FROM accounts) BEGIN SELECT RAISE(ABORT, 'kept'); END`)
	w.Clock.Advance(account.ClosedTime)
	if err := w.Closing.Sweep(t.Context()); err == nil {
		t.Error("no error, want that of the account that was kept")
	}
	if n := w.Int(t, "SELECT count(*) FROM accounts"); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
}
