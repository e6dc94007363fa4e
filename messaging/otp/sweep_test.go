package otp_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/otp"
)

// Rules: M112.
func TestSweep_ADayAfterExpiry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "unlimited", func(o *otp.Options) {
			o.Limits = &otp.Limits{PrefixDigits: 7, PrefixHourly: 1000, CountryHourly: 1000, Sample: 1, Verified: 100, Block: time.Hour}
		})
		i := w.issue()
		code := w.code(number)
		rows := func() (n int) {
			for _, table := range []string{"otp_challenges", "otp_rates", "otp_claims", "otp_caps", "otp_blocks"} {
				n += w.Int(t, "SELECT count(*) FROM "+table)
			}
			return n
		}
		sweep := func() {
			t.Helper()
			if err := w.OTP.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.Clock.Advance(otp.DefaultTTL + 24*time.Hour - time.Millisecond)
		sweep()
		if got := w.verify(i.ChallengeID, code); got != "expired" {
			t.Errorf("a millisecond early: %q", got)
		}
		w.Clock.Advance(time.Millisecond)
		sweep()
		if got := w.verify(i.ChallengeID, code); got != "not_found" || rows() != 0 {
			t.Errorf("a day later: %q, %d rows", got, rows())
		}
		const many = 1201 // more than two batches
		w.Write(t, func(tx *db.Tx) error {
			for i := range many {
				if _, err := tx.Exec(`INSERT INTO otp_claims (account_id, key, at) VALUES ('a', $1, 0)`, fmt.Sprint(i)); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO otp_rates (account_id, address, turn, at1, at2, at3) VALUES ('a', $1, 1, 0, 0, 0)`, fmt.Sprint(i)); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO otp_caps (area, hour, sent) VALUES ($1, 1, 1)`, fmt.Sprint(i)); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ('a', $1, 1, 1)`, fmt.Sprint(i)); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO otp_challenges (id, account_id, address, prefix, message_id, sandbox, turn, code_mac, request_mac, attempts, created_at, expires_at)
 VALUES ($1, 'a', 'b', 'c', $1, 0, 1, 'm', 'm', 0, 0, 1)`, fmt.Sprint(i)); err != nil {
					return err
				}
			}
			return nil
		})
		w.issue()
		sweep()
		if n := rows(); n != 4 {
			t.Errorf("%d rows are left; want the live challenge, its rate, and two caps", n)
		}
	})
}
