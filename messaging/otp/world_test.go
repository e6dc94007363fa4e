package otp_test

import (
	"errors"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const number = "22376000001"

// world is an account that can request codes.
type world struct {
	*messagingtest.World
	t *testing.T

	stop func() // ends the engine's work
}

func newWorld(t *testing.T, d *db.DB, plan string, change ...func(*otp.Options)) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, plan), t: t}
	w.OTP = w.NewOTP(change...)
	w.stop = w.Run(t, w.Delivery)
	return w
}

// request returns a request by SMS.
func request(change ...func(*otp.Request)) *otp.Request {
	r := otp.NewRequest()
	r.To, r.Channel = number, gateway.SMS
	for _, c := range change {
		c(r)
	}
	return r
}

func withNumber(n string) func(*otp.Request) { return func(r *otp.Request) { r.To = n } }
func withKey(k string) func(*otp.Request)    { return func(r *otp.Request) { r.IdempotencyKey = k } }
func sandboxed(r *otp.Request)               { r.Sandbox = true }

func (w *world) issue(change ...func(*otp.Request)) *otp.Issued {
	w.t.Helper()
	i, err := w.OTP.Issue(w.t.Context(), w.LiveCaller, request(change...))
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// refuses requests a code that must not be sent, and returns the time to wait.
func (w *world) refuses(k *apierror.Kind, change ...func(*otp.Request)) time.Duration {
	w.t.Helper()
	i, err := w.OTP.Issue(w.t.Context(), w.LiveCaller, request(change...))
	e, ok := errors.AsType[*apierror.Error](err)
	if !ok || e.Kind != k {
		w.t.Fatalf("issued %+v, %v; want %s", i, err, k.Code)
	}
	return e.RetryAfter
}

// code returns the code of the last message to a number.
func (w *world) code(n string) string {
	w.t.Helper()
	return w.Code(w.t, n)
}

// verify makes a guess. It returns "" for the correct code, or the error's code.
func (w *world) verify(challengeID, code string) string {
	w.t.Helper()
	return verifyCode(w.t, w.OTP.Verify(w.t.Context(), w.LiveCaller, &otp.Guess{ChallengeID: challengeID, Code: code}))
}

func (w *world) verifyTo(n, code string) string {
	w.t.Helper()
	return verifyCode(w.t, w.OTP.Verify(w.t.Context(), w.LiveCaller, &otp.Guess{To: n, Code: code}))
}

func verifyCode(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*apierror.Error](err)
	if !ok || e.Kind.Status != 400 || e.Extra["valid"] != false {
		t.Errorf("verify: %v", err)
		return "?"
	}
	return e.Kind.Code
}

func (w *world) sent() int { return len(w.Gateway.Calls()) }
