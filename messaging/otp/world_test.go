package otp_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/fault"
	"griot/internal/logtest"
	"griot/messaging/messagingtest"
	"griot/messaging/otp"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const number = "22376000001"

// world is an account that can ask for codes.
type world struct {
	*messagingtest.World
	t   *testing.T
	otp *otp.Service
	log *logtest.Recorder

	stop func() // ends the engine's work
}

func newWorld(t *testing.T, d *db.DB, plan string, change ...func(*otp.Options)) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, plan), t: t, log: &logtest.Recorder{}}
	w.otp = w.service(change...)
	w.stop = w.Run(t, w.Engine)
	return w
}

// service makes a further service on the same database, as another process would.
func (w *world) service(change ...func(*otp.Options)) *otp.Service {
	o := otp.Options{DB: w.DB, Key: w.Master, Engine: w.Engine, Presets: w.Presets, Now: w.Clock.Now, Log: w.log.Logger()}
	for _, c := range change {
		c(&o)
	}
	return otp.New(o)
}

// ask makes a request by SMS.
func ask(change ...func(*otp.Request)) *otp.Request {
	r := otp.NewRequest()
	r.To, r.Channel = number, gateway.SMS
	for _, c := range change {
		c(r)
	}
	return r
}

func to(n string) func(*otp.Request)    { return func(r *otp.Request) { r.To = n } }
func under(k string) func(*otp.Request) { return func(r *otp.Request) { r.IdempotencyKey = k } }
func sandboxed(r *otp.Request)          { r.Sandbox = true }

func (w *world) issue(change ...func(*otp.Request)) *otp.Issued {
	w.t.Helper()
	i, err := w.otp.Issue(w.t.Context(), w.Live, ask(change...))
	if err != nil {
		w.t.Fatal(err)
	}
	return i
}

// refuses asks for a code that must not be sent, and returns how long to wait.
func (w *world) refuses(k *fault.Kind, change ...func(*otp.Request)) time.Duration {
	w.t.Helper()
	i, err := w.otp.Issue(w.t.Context(), w.Live, ask(change...))
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != k {
		w.t.Fatalf("issued %+v, %v; want %s", i, err, k.Code)
	}
	return e.RetryAfter
}

var digits = regexp.MustCompile(`^[0-9]{4,8}`)

// code is what the last message to a number carried.
func (w *world) code(n string) string {
	w.t.Helper()
	var code string
	for _, out := range w.Gateway.Asked() {
		if out.To == n {
			code = digits.FindString(out.Text)
		}
	}
	if code == "" {
		w.t.Fatal("no code was sent")
	}
	return code
}

// wrong is a code of the same length that is not the one.
func wrong(code string) string {
	b := []byte(code)
	b[0] = '0' + (b[0]-'0'+1)%10
	return string(b)
}

// verify judges a guess at a challenge: "" for the right code, or the error's code.
func (w *world) verify(challengeID, code string) string {
	w.t.Helper()
	return verdict(w.t, w.otp.Verify(w.t.Context(), w.Live, &otp.Guess{ChallengeID: challengeID, Code: code}))
}

func (w *world) verifyTo(n, code string) string {
	w.t.Helper()
	return verdict(w.t, w.otp.Verify(w.t.Context(), w.Live, &otp.Guess{To: n, Code: code}))
}

func verdict(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind.Status != 400 || e.Extra["valid"] != false {
		t.Errorf("verify: %v", err)
		return "?"
	}
	return e.Kind.Code
}

func (w *world) sent() int { return len(w.Gateway.Asked()) }

// holds is a script that keeps attempts until it is released.
func (w *world) holds() (release func()) {
	c := make(chan struct{})
	w.Gateway.Does(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		<-c
		return gateway.Ack{}, nil
	})
	return func() { close(c) }
}
