package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
)

func TestSweep_RunsUntilItIsToldToStop(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	b := s.browser()
	b.start(s.app(tenant.Public, tenant.Test))
	s.Clock.Advance(25 * time.Hour)
	stop := waittest.Run(t, s.run)
	waittest.Eventually(t, 0, func() int { return s.count(`SELECT count(*) FROM login_sessions`) })
	stop()
}

// More than a batch of each, so that several batches are deleted. Rows that are not due stay.
// Rules: L70.
func TestSweep_DeletesWhatIsDue(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, func(o *auth.Options) { o.KeepAudit = 400 * 24 * time.Hour })
		a := s.app(tenant.Public, tenant.Live)
		b := s.browser()
		loginID := b.start(a)
		s.accepted("m", alice, b.words(loginID))
		s.storeCounts()
		fill(t, d, s.Clock.Now(), 1100)
		rows := func() string {
			return fmt.Sprint(s.count(`SELECT count(*) FROM login_words`), s.count(`SELECT count(*) FROM login_proofs`),
				s.count(`SELECT count(*) FROM login_sessions`), s.count(`SELECT count(*) FROM audit_events`))
		}
		sweep := func() {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.auth.Logins.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
			if err := s.auth.Logins.Sweep(ctx); err == nil {
				t.Error("a sweep with a canceled context succeeded")
			}
		}
		for _, step := range []struct {
			after time.Duration
			want  string
		}{
			{0, "1101 1101 1 3303"},
			{90*time.Second + 12*time.Minute - time.Millisecond, "1101 1101 1 3303"},
			{time.Millisecond, "0 1101 1 3303"},
			{24*time.Hour - 90*time.Second - 12*time.Minute, "0 1101 1 3303"},
			{time.Millisecond, "0 0 0 3303"},
			{29*24*time.Hour - time.Millisecond, "0 0 0 3303"},
			{time.Millisecond, "0 0 0 1102"}, // starts of logins and failed sign-ins, which anyone can cause in any number
			{370*24*time.Hour - time.Millisecond, "0 0 0 1102"},
			{time.Millisecond, "0 0 0 0"},
		} {
			s.Clock.Advance(step.after)
			sweep()
			if got := rows(); got != step.want {
				t.Errorf("%s later: %s, want %s", step.after, got, step.want)
			}
		}
	})
}

// fill stores rows with the age of the test's login.
func fill(t *testing.T, d *db.DB, now time.Time, n int) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for i := range n {
			if _, err := tx.Exec(`INSERT INTO login_words (receiver, words_key, session_id, expires_at) VALUES ('r', $1, 's', $2)`,
				fmt.Sprint(i), db.Ms(now.Add(90*time.Second+12*time.Minute))); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO login_proofs (message_id, session_id, at) VALUES ($1, 's', $2)`, fmt.Sprint(i), db.Ms(now)); err != nil {
				return err
			}
			for _, typ := range []string{tenant.LoginStarted, tenant.DashboardLoginFailed, tenant.LoginVerified} {
				if err := tenant.Record(tx, &tenant.Event{ID: id.New(now), Type: typ, At: now, Actor: tenant.ActorUser}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
