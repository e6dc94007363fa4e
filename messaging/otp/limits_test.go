package otp_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

func limited(l *otp.Limits) func(*otp.Options) { return func(o *otp.Options) { o.Limits = l } }

// numbered sets the n-th number of a prefix of seven digits.
func numbered(prefix string, n int) func(*otp.Request) {
	return withNumber(fmt.Sprintf("%s%04d", prefix, n))
}

// Rules: M104.
func TestLimits_CapsOfAnHour(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business", limited(&otp.Limits{PrefixDigits: 7, PrefixHourly: 2, CountryHourly: 5, Countries: map[string]int64{"1": 0, "33": 100}}))
		w.Clock.Advance(20 * time.Minute)
		for n := range 2 {
			w.issue(numbered("2237600", n))
		}
		blocked := func(r func(*otp.Request)) {
			t.Helper()
			if after := w.refuses(apierror.OTPBlocked, r); after != 40*time.Minute {
				t.Errorf("retry after %v", after)
			}
		}
		blocked(numbered("2237600", 2))
		blocked(numbered("2237600", 2))
		for n := range 3 { // codes that the prefix limit refused did not count for the country
			w.issue(numbered(fmt.Sprintf("223760%d", n+1), n))
		}
		blocked(numbered("2237609", 1))
		blocked(numbered("1202555", 123)) // a country without codes
		for n := range 6 {
			w.issue(numbered(fmt.Sprintf("336123%d", n), n)) // a country with its own limit
		}
		w.issue(numbered("22177345", 1)) // a country without its own limit, up to the general limit
		if i := w.issue(numbered("2237600", 3), sandboxed); i.Send.Message.Status != "SANDBOX" {
			t.Error("the sandbox sends nothing that could be pumped")
		}
		before := w.sent()
		if before != 12 {
			t.Errorf("%d sent", before)
		}
		blocked(numbered("2237600", 2)) // the third request, because refused requests count
		w.refuses(apierror.OTPRateLimited, numbered("2237600", 2))
		w.Clock.Advance(40 * time.Minute)
		w.issue(numbered("2237600", 2))
	})
}

// One account's codes must not use up the shared limits of all accounts.
func TestLimits_AnAccountHasAShareOfTheCaps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		limits := &otp.Limits{PrefixDigits: 7, PrefixHourly: 20, CountryHourly: 35, Countries: map[string]int64{"33": 4}, AccountPercent: 10}
		w := newWorld(t, d, "business", limited(limits))
		w.issue(numbered("2237600", 1))
		w.issue(numbered("2237600", 2))
		if after := w.refuses(apierror.OTPBlocked, numbered("2237600", 3)); after != time.Hour {
			t.Errorf("beyond a tenth of the prefix's: retry after %v", after)
		}
		w.issue(numbered("2237601", 1))
		w.issue(numbered("2237602", 1)) // a tenth of 35 is 4: a share is rounded up
		w.refuses(apierror.OTPBlocked, numbered("2237603", 1))
		w.issue(numbered("3361234", 1)) // a share of a small limit is also rounded up
		w.refuses(apierror.OTPBlocked, numbered("3361234", 2))
		for area, want := range map[string]int{"country:223": 4, "country:33": 1, "prefix:2237600": 2, "prefix:2237603": 0} {
			if got := w.Int(t, `SELECT COALESCE(sum(sent), 0) FROM otp_caps WHERE area = $1`, area); got != want {
				t.Errorf("%s: %d, want %d: what the account's share refused is nobody's", area, got, want)
			}
		}
		other := messagingtest.New(t, d, "starter", func(s *account.Spec) {
			s.Senders = []account.Sender{{Channel: gateway.SMS, Address: "22370000099", Gateway: "fake"}}
		})
		if _, err := w.OTP.Issue(t.Context(), other.LiveCaller, request(numbered("2237600", 3))); err != nil {
			t.Errorf("other accounts go on: %v", err)
		}
		caps, err := w.OTP.Caps(t.Context(), 20)
		if err != nil || !slices.Contains(caps, otp.Cap{AccountID: w.Account.ID, Prefix: "2237600", Sent: 2, Most: 2}) ||
			!slices.Contains(caps, otp.Cap{AccountID: w.Account.ID, Country: "33", Sent: 1, Most: 1}) || !slices.Contains(caps, otp.Cap{Country: "223", Sent: 5, Most: 35}) {
			t.Errorf("got %+v, %v", caps, err)
		}
		for _, area := range []string{"2237600", "223"} {
			if lifted, err := w.OTP.Unblock(t.Context(), w.Account.ID, area); err != nil || !lifted {
				t.Errorf("lift %s: %v, %v", area, lifted, err)
			}
		}
		w.issue(numbered("2237600", 3))
		limits.Accounts = map[string]int64{w.Account.ID: 50}
		for n := range 9 { // half of twenty, of which one has been used since
			w.issue(numbered("2237600", 10+n))
		}
		w.refuses(apierror.OTPBlocked, numbered("2237600", 20))
	})
}

func TestLimits_AStampedeHasTheAccountsShare(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business", limited(&otp.Limits{PrefixDigits: 7, PrefixHourly: 30, CountryHourly: 50, AccountPercent: 10}))
		got := countOutcomes(30, func(n int) string {
			_, err := w.OTP.Issue(t.Context(), w.LiveCaller, request(numbered([]string{"2237600", "2237601"}[n%2], n)))
			if e, ok := errors.AsType[*apierror.Error](err); ok {
				return e.Kind.Code
			}
			if err != nil {
				return err.Error()
			}
			return ""
		})
		if got[""] != 5 || got["otp_blocked"] != 25 || w.Int(t, `SELECT sent FROM otp_caps WHERE area = 'country:223'`) != 5 {
			t.Errorf("got %v, want 5 of 30", got)
		}
	})
}

func TestLimits_AStampedeHasWhatTheCapAllows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business", limited(&otp.Limits{PrefixDigits: 7, PrefixHourly: 7, CountryHourly: 10}))
		got := countOutcomes(40, func(n int) string {
			_, err := w.OTP.Issue(t.Context(), w.LiveCaller, request(numbered([]string{"2237600", "2237601"}[n%2], n)))
			if e, ok := errors.AsType[*apierror.Error](err); ok {
				return e.Kind.Code
			}
			if err != nil {
				return err.Error()
			}
			return ""
		})
		if got[""] != 10 || got["otp_blocked"] != 30 || w.Int(t, `SELECT sent FROM otp_caps WHERE area = 'country:223'`) != 10 ||
			w.Int(t, `SELECT sum(sent) FROM otp_caps WHERE area LIKE 'prefix:%'`) != 10 {
			t.Errorf("got %v", got)
		}
	})
}

// Rules: M104.
func TestLimits_TheBreakerOpensWhereCodesAreNotVerified(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		limits := &otp.Limits{PrefixDigits: 7, Sample: 10, Verified: 20, Block: time.Hour}
		w := newWorld(t, d, "unlimited", limited(limits))
		n := 0
		round := func(prefix string, codes, verified int) {
			t.Helper()
			for i := range codes {
				n++
				issued := w.issue(numbered(prefix, n))
				if i < verified && w.verify(issued.ChallengeID, w.code(fmt.Sprintf("%s%04d", prefix, n))) != "" {
					t.Fatal("not verified")
				}
			}
		}
		round("2237600", 10, 2) // as many as the limit requires
		round("2237601", 10, 1)
		w.Gateway.FailWith(gateway.Permanent, "down")
		round("2237602", 10, 0) // never submitted, so no one can verify these
		w.Gateway.SetScript(nil)
		round("2237601", 1, 0) // no result is known yet, because the codes might still be verified
		w.Clock.Advance(otp.DefaultTTL)
		round("2237600", 1, 0)
		round("2237602", 1, 0)
		n++
		if after := w.refuses(apierror.OTPBlocked, numbered("2237601", n)); after != time.Hour {
			t.Errorf("retry after %v", after)
		}
		w.Clock.Advance(30 * time.Minute)
		if after := w.refuses(apierror.OTPBlocked, numbered("2237601", n)); after != 30*time.Minute {
			t.Errorf("an open breaker is not opened anew: retry after %v", after)
		}
		round("2237609", 1, 0) // other prefixes are not affected
		other := messagingtest.New(t, d, "business", func(s *account.Spec) {
			s.Senders = []account.Sender{{Channel: gateway.SMS, Address: "22370000099", Gateway: "fake"}}
		})
		if _, err := w.OTP.Issue(t.Context(), other.LiveCaller, request(numbered("2237601", n))); err != nil {
			t.Errorf("other accounts go on: %v", err)
		}
		w.Clock.Advance(30 * time.Minute)
		round("2237601", 9, 0) // a new start, in which earlier codes do not count
		w.Clock.Advance(otp.DefaultTTL)
		round("2237601", 1, 0)
		w.Clock.Advance(otp.DefaultTTL)
		n++
		w.refuses(apierror.OTPBlocked, numbered("2237601", n))

		seen, err := w.OTP.Traffic(t.Context(), 24*time.Hour, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != 3 || seen[0].Prefix != "2237601" || seen[0].AccountID != w.Account.ID || seen[0].Sent != 21 || seen[0].Verified != 1 ||
			seen[0].Country != "223" || seen[0].BlockedUntil.Sub(w.Clock.Now()) != time.Hour || !seen[1].BlockedUntil.IsZero() {
			t.Errorf("got %+v", seen)
		}
		if lifted, err := w.OTP.Unblock(t.Context(), w.Account.ID, "2237601"); err != nil || !lifted {
			t.Errorf("lift: %v, %v", lifted, err)
		}
		round("2237601", 1, 0)
		if lifted, err := w.OTP.Unblock(t.Context(), w.Account.ID, "2237601"); err != nil || lifted {
			t.Errorf("lifted twice: %v, %v", lifted, err)
		}
	})
}

func TestLimits_CapsAreSeenAndLifted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business", limited(&otp.Limits{PrefixDigits: 7, PrefixHourly: 1, CountryHourly: 2}))
		w.issue(numbered("2237600", 1))
		w.issue(numbered("2237601", 1))
		w.refuses(apierror.OTPBlocked, numbered("2237602", 1))
		caps, err := w.OTP.Caps(t.Context(), 10)
		if err != nil || len(caps) != 3 || caps[0] != (otp.Cap{Country: "223", Sent: 2, Most: 2}) || caps[1] != (otp.Cap{Prefix: "2237600", Sent: 1, Most: 1}) {
			t.Errorf("got %+v, %v", caps, err)
		}
		for _, area := range []string{"223", "2237600"} {
			if lifted, err := w.OTP.Unblock(t.Context(), "", area); err != nil || !lifted {
				t.Errorf("%s: %v, %v", area, lifted, err)
			}
		}
		w.issue(numbered("2237600", 2))
		w.refuses(apierror.OTPBlocked, numbered("2237601", 2))
		if lifted, err := w.OTP.Unblock(t.Context(), "", "33"); err != nil || lifted {
			t.Errorf("nothing to lift: %v, %v", lifted, err)
		}
	})
}
