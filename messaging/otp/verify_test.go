package otp_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

// Rules: M107.
func TestVerify_TheRightCodeOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		code := w.code(number)
		if len(code) != 6 || i.ExpiresAt.Sub(w.Clock.Now()) != 5*time.Minute || i.Send.Message.Channel != gateway.SMS {
			t.Errorf("%d digits, %+v", len(code), i)
		}
		for _, tc := range []struct{ code, want string }{{messagingtest.WrongCode(code), "invalid_code"}, {code, ""}, {code, "not_found"}, {messagingtest.WrongCode(code), "not_found"}} {
			if got := w.verify(i.ChallengeID, tc.code); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		}
		w.issue()
		if got := w.verifyTo("+"+number, w.code(number)); got != "" {
			t.Errorf("by number: %q", got)
		}
		if got := w.verifyTo(number, w.code(number)); got != "not_found" {
			t.Errorf("by number, a second time: %q", got)
		}
	})
}

// A code can be typed or pasted in several forms. A wrong one in such a form counts like any other.
// Rules: M107.
func TestVerify_ReadsTypedCodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		inScript := func(zero rune, code string) string {
			return strings.Map(func(r rune) rune { return zero + r - '0' }, code)
		}
		for _, zero := range "0٠۰０०" {
			i := w.issue()
			code := w.code(number)
			for range 4 {
				if got := w.verify(i.ChallengeID, inScript(zero, messagingtest.WrongCode(code))); got != "invalid_code" {
					t.Errorf("zero %q, a wrong code: %q", zero, got)
				}
			}
			typed := inScript(zero, code)
			half := len(typed) / 2
			if got := w.verify(i.ChallengeID, "\u202a"+typed[:half]+"-"+typed[half:]+"\u202c\n"); got != "" {
				t.Errorf("zero %q: %q", zero, got)
			}
			w.Clock.Advance(time.Hour)
		}
		i := w.issue()
		for range 5 {
			w.verify(i.ChallengeID, inScript('٠', messagingtest.WrongCode(w.code(number))))
		}
		if got := w.verify(i.ChallengeID, w.code(number)); got != "too_many_attempts" {
			t.Errorf("after five wrong codes in Arabic digits: %q", got)
		}
	})
}

// Rules: M109.
func TestVerify_LocksAfterFiveFailures(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		code := w.code(number)
		for n := range 5 {
			if got := w.verify(i.ChallengeID, messagingtest.WrongCode(code)); got != "invalid_code" {
				t.Errorf("failure %d: %q", n+1, got)
			}
		}
		for _, guess := range []string{messagingtest.WrongCode(code), code} {
			if got := w.verify(i.ChallengeID, guess); got != "too_many_attempts" {
				t.Errorf("locked: %q", got)
			}
			if got := w.verifyTo(number, guess); got != "too_many_attempts" {
				t.Errorf("locked, by number: %q", got)
			}
		}
		w.Clock.Advance(time.Hour)
		if got := w.verify(i.ChallengeID, code); got != "too_many_attempts" {
			t.Errorf("locked and expired: %q", got)
		}
		next := w.issue()
		code = w.code(number)
		for range 4 {
			w.verify(next.ChallengeID, messagingtest.WrongCode(code))
		}
		if got := w.verify(next.ChallengeID, code); got != "" {
			t.Errorf("right after four failures: %q", got)
		}
	})
}

// Rules: M94, M110.
func TestVerify_ExpiresToTheMillisecond(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		short := w.issue(func(r *otp.Request) { r.TTL = otp.MinTTL })
		code := w.code(number)
		w.Clock.Advance(otp.MinTTL - time.Millisecond)
		if got := w.verify(short.ChallengeID, messagingtest.WrongCode(code)); got != "invalid_code" {
			t.Errorf("in time: %q", got)
		}
		w.Clock.Advance(time.Millisecond)
		if got := w.verify(short.ChallengeID, code); got != "expired" {
			t.Errorf("too late: %q", got)
		}
		if got := w.verifyTo(number, code); got != "not_found" {
			t.Errorf("too late, by number: %q: there is no live one", got)
		}
		if out := w.Gateway.Calls()[0]; !out.Sensitive || out.ExpiresAt != short.ExpiresAt {
			t.Errorf("the gateway may deliver it until %v, though it expires at %v", out.ExpiresAt, short.ExpiresAt)
		}
	})
}

// Rules: M106.
func TestVerify_ByNumberJudgesTheLatest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		first := w.issue() // the clock does not advance, so the order does not depend on times
		codes := []string{w.code(number)}
		for range 2 {
			w.issue()
			codes = append(codes, w.code(number))
		}
		if codes[0] != codes[2] {
			if got := w.verifyTo(number, codes[0]); got != "invalid_code" {
				t.Errorf("the first code, by number: %q", got)
			}
		}
		if got := w.verifyTo(number, codes[2]); got != "" {
			t.Errorf("the latest code: %q", got)
		}
		if got := w.verifyTo(number, codes[1]); got != "not_found" {
			t.Errorf("the latest one is used, and the one judged: %q", got)
		}
		if got := w.verify(first.ChallengeID, codes[0]); got != "" {
			t.Errorf("an older challenge by its id: %q", got)
		}
	})
}

// A new request does not change the lifetime of older codes.
// Rules: M100.
func TestVerify_ANewCodeLeavesTheEarlierOnesTheirTime(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		first := w.issue()
		firstCode := w.code(number)
		w.Clock.Advance(2 * time.Minute)
		second := w.issue()
		secondCode := w.code(number)
		if got, want := second.ExpiresAt.Sub(first.ExpiresAt), 2*time.Minute; got != want {
			t.Errorf("the second code ends %v after the first, want %v", got, want)
		}
		w.Clock.Advance(3*time.Minute - time.Millisecond) // the last moment of the first
		if got := w.verify(first.ChallengeID, firstCode+"x"); got != "invalid_code" {
			t.Errorf("the first code, a millisecond before its end: %q, want invalid_code of a guess", got)
		}
		w.Clock.Advance(time.Millisecond)
		if got := w.verify(first.ChallengeID, firstCode); got != "expired" {
			t.Errorf("the first code at its end: %q, want expired", got)
		}
		if got := w.verify(second.ChallengeID, secondCode); got != "" {
			t.Errorf("the second code: %q, want it to be right", got)
		}
	})
}

// Rules: M111.
func TestVerify_OthersAndNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		code := w.code(number)
		other := messagingtest.New(t, d, "free", func(s *account.Spec) { s.Senders = nil })
		test := *w.LiveCaller
		test.Kind = account.Test
		for name, who := range map[string]*account.Caller{"another account": other.LiveCaller, "a test key": &test} {
			if got := verifyCode(t, w.OTP.Verify(t.Context(), who, &otp.Guess{ChallengeID: i.ChallengeID, Code: code})); got != "not_found" {
				t.Errorf("%s: %q", name, got)
			}
			if got := verifyCode(t, w.OTP.Verify(t.Context(), who, &otp.Guess{To: number, Code: code})); got != "not_found" {
				t.Errorf("%s, by number: %q", name, got)
			}
		}
		for _, id := range []string{"otp_", "otp_00000000000000000000000000", "x", i.ChallengeID + "0", i.Send.Message.ID} {
			if got := w.verify(id, code); got != "not_found" {
				t.Errorf("%q: %q", id, got)
			}
		}
		if n := w.Int(t, `SELECT sum(attempts) FROM otp_challenges`); n != 0 {
			t.Errorf("others' guesses counted: %d", n)
		}
	})
}

// Rules: M109.
func TestVerify_AStampedeOfGuessesHasFiveJudged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		bad := messagingtest.WrongCode(w.code(number))
		got := countOutcomes(200, func(n int) string {
			if n%2 == 0 {
				return w.verifyTo(number, bad)
			}
			return w.verify(i.ChallengeID, bad)
		})
		if got["invalid_code"] != 5 || got["too_many_attempts"] != 195 {
			t.Errorf("got %v", got)
		}
	})
}

// Rules: M107.
func TestVerify_AStampedeOfRightCodesIsOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		code := w.code(number)
		got := countOutcomes(50, func(int) string { return w.verify(i.ChallengeID, code) })
		if got[""] != 1 || got["not_found"] != 49 {
			t.Errorf("got %v", got)
		}
	})
}

// countOutcomes calls do n times concurrently and counts the results.
func countOutcomes(n int, do func(n int) string) map[string]int {
	var mu sync.Mutex
	got := map[string]int{}
	waittest.Together(n, func(i int) {
		outcome := do(i)
		mu.Lock()
		defer mu.Unlock()
		got[outcome]++
	})
	return got
}

func TestVerify_AfterARestart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		i := w.issue()
		code := w.code(number)
		w.verify(i.ChallengeID, messagingtest.WrongCode(code))
		w.stop()
		w.ReplaceDelivery()
		w.Restart(t, w.Delivery)
		w.OTP = w.NewOTP()
		for range 4 {
			if got := w.verify(i.ChallengeID, messagingtest.WrongCode(code)); got != "invalid_code" {
				t.Errorf("after a restart: %q", got)
			}
		}
		if got := w.verify(i.ChallengeID, code); got != "too_many_attempts" {
			t.Errorf("the failure before the restart was forgotten: %q", got)
		}
		second := w.issue()
		w.OTP = w.NewOTP()
		if got := w.verify(second.ChallengeID, w.code(number)); got != "" {
			t.Errorf("the right code after a restart: %q", got)
		}
	})
}

// A code that was sent before the master key was replaced is still valid while both keys exist, and so is a new one.
func TestVerify_AcrossARotationOfTheMasterKey(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		before := w.issue(withKey("k"))
		code := w.code(number)
		fresh, err := seal.ParseKey(seal.NewMasterKey())
		if err != nil {
			t.Fatal(err)
		}
		both := fresh.WithPrevious(w.Master)
		w.OTP = w.NewOTP(func(o *otp.Options) { o.Key = both })
		both.SetFirst(w.Master.Name())
		if !both.SealWith(fresh.Name()) {
			t.Fatal("the new key is not known")
		}
		if again := w.issue(withKey("k")); again.ChallengeID != before.ChallengeID || again.PayloadMismatch {
			t.Errorf("repeated: %+v, want the challenge %s without a mismatch", again, before.ChallengeID)
		}
		for _, guess := range []struct{ code, want string }{{messagingtest.WrongCode(code), "invalid_code"}, {code, ""}, {code, "not_found"}} {
			if got := w.verify(before.ChallengeID, guess.code); got != guess.want {
				t.Errorf("got %q, want %q", got, guess.want)
			}
		}
		second := w.issue()
		if got := w.verify(second.ChallengeID, w.code(number)); got != "" {
			t.Errorf("a code of the new key: %q", got)
		}
	})
}
