package otp_test

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

// Codes of eight digits are issued, sent, lost, refused, guessed, and verified. Then all stored data is searched.
// Rules: M97.
func TestCodes_AreNowhere(t *testing.T) {
	search := func(t *testing.T, d *db.DB, everything func() string) {
		w := newWorld(t, d, "business", func(o *otp.Options) {
			o.Limits = &otp.Limits{PrefixHourly: 100, CountryHourly: 100, Sample: 1, Verified: 1, Block: time.Hour}
		})
		w.SetWebhook(t, "https://example.com/hook")
		eight := func(r *otp.Request) { r.Length, r.App, r.IdempotencyKey = 8, "shop.example", r.To }
		var codes []string
		for i, class := range []gateway.Class{"", gateway.Permanent, gateway.Unknown, gateway.Temporary} {
			w.Gateway.SetScript(nil)
			if class != "" {
				w.Gateway.FailWith(class, "no")
			}
			n := "2237600000" + string(rune('1'+i))
			issued := w.issue(withNumber(n), eight)
			code := w.code(n)
			w.verify(issued.ChallengeID, messagingtest.WrongCode(code))
			codes = append(codes, code, messagingtest.WrongCode(code))
			if class == gateway.Unknown { // being sent; the engine encrypts it
				continue
			}
			w.verify(issued.ChallengeID, code)
		}
		w.issue(withNumber("22376000009"), eight, sandboxed)
		if rows := w.Int(t, `SELECT count(*) FROM messages WHERE content <> '{}'`); rows != 1 {
			t.Errorf("%d messages have content: only the one on its way may", rows)
		}
		all := everything()
		if !strings.Contains(all, "22376000001") || !strings.Contains(all, string(message.SourceOTP)) {
			t.Fatal("the search finds nothing at all")
		}
		for _, code := range codes {
			for what, text := range map[string]string{"data": all, "log": w.Log.String()} {
				if holds(text, code) {
					t.Errorf("the %s holds a code", what)
				}
			}
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(dir, "griot.db"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		search(t, d, func() string { return files(t, dir) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Postgres(t)
		search(t, d, func() string { return tables(t, d) })
	})
}

// holds reports whether a text contains a number that is not a part of a longer one.
func holds(text, number string) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	for from := 0; ; {
		i := strings.Index(text[from:], number)
		if i < 0 {
			return false
		}
		at := from + i
		if !digit(at-1) && !digit(at+len(number)) {
			return true
		}
		from = at + 1
	}
}

// files returns the content of all files in a directory: the database, its log, and its lock.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		n++
		all.Write(b)
		all.WriteByte(0)
		return err
	})
	if err != nil || n < 2 {
		t.Fatalf("%d files, %v", n, err)
	}
	return all.String()
}

// tables returns every row of every table, as text.
func tables(t *testing.T, d *db.DB) string {
	t.Helper()
	var all strings.Builder
	var names []string
	read := d.Read(t.Context())
	lines := func(into func(string), query string) {
		if err := read.Each(func(r *sql.Rows) error {
			var s string
			err := r.Scan(&s)
			into(s)
			return err
		}, query); err != nil {
			t.Fatal(err)
		}
	}
	lines(func(s string) { names = append(names, s) }, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	for _, name := range names {
		lines(func(s string) { all.WriteString(s + "\n") }, `SELECT t::text FROM `+name+` t`)
	}
	return all.String()
}

// The stored data of a code is useless without the master key, or with another challenge.
func TestCodes_AreBoundToTheMasterKeyAndTheChallenge(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), "business")
	first, second := w.issue(), w.issue(withNumber(other))
	code := w.code(number)
	stranger, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := w.NewOTP(func(o *otp.Options) { o.Key = stranger })
	if got := verifyCode(t, elsewhere.Verify(t.Context(), w.LiveCaller, &otp.Guess{ChallengeID: first.ChallengeID, Code: code})); got != "invalid_code" {
		t.Errorf("with another master key: %q", got)
	}
	w.Exec(t, `UPDATE otp_challenges SET code_mac = (SELECT code_mac FROM otp_challenges WHERE id = $1) WHERE id = $2`, first.ChallengeID, second.ChallengeID)
	if got := w.verify(second.ChallengeID, code); got != "invalid_code" {
		t.Errorf("copied to another challenge: %q", got)
	}
	if got := w.verify(first.ChallengeID, code); got != "" {
		t.Errorf("where it belongs: %q", got)
	}
}
