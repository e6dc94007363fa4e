package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// After any sequence of steps of people, browsers, gateways, and clients, a login is in the state of the model.
// Rules: L34, L40, L44, L47, L52, L57, L62, L63, L64, L65, L69, L78, L79, L117.
func TestProperty_AnyOrderOfStepsIsTheTables(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		apps := []app{s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Live)}
		otherApp := s.app(tenant.Public, tenant.Live)
		dbtest.Property(t, d, checksOnPostgres, func(t testing.TB, r *rapid.T, _ int) {
			w := &simulation{service: s.in(t), r: r, otherApp: otherApp, proofs: map[string]bool{}}
			for _, a := range apps {
				w.begin(a)
			}
			r.Repeat(map[string]func(*rapid.T){
				"": func(*rapid.T) { w.check() }, "activate": w.activate, "poll": w.poll, "foreign poll": w.foreignPoll,
				"message": w.sendMessage, "verify": w.verifyCall, "sandbox": w.useSandbox, "redeem": w.redeem, "wait": w.wait,
			})
		})
	})
}

const checksOnPostgres = 25

// simulation is a service with logins, each with its model.
type simulation struct {
	*service
	r        *rapid.T
	logins   []*simulatedLogin
	otherApp app
	proofs   map[string]bool // messages that proved a login
}

type simulatedLogin struct {
	*model
	app     app
	browser *browser
	id      string
	words   string
	given   map[string]string // redirectUrl by status
	code    string
}

func (w *simulation) begin(a app) {
	b := w.browser()
	l := &simulatedLogin{model: newModel(w.Clock.Now()), app: a, browser: b, id: b.start(a), given: map[string]string{}}
	l.words = b.words(l.id)
	w.logins = append(w.logins, l)
	// Later statuses are drawn directly, because few random sequences reach them.
	switch rapid.SampledFrom([]string{"started", "proved", "handed back"}).Draw(w.r, "login is") {
	case "proved":
		w.proveNow(l)
	case "handed back":
		w.proveNow(l)
		w.pollOf(l)
	}
}

func (w *simulation) proveNow(l *simulatedLogin) {
	message := w.logins[0].id + l.id
	w.proveModel(l, message, alice)
	w.checkAnswer(w.verify(w.proof(l.id, message, alice, l.words)), "", http.StatusCreated)
}

func (w *simulation) any() *simulatedLogin {
	return w.logins[rapid.IntRange(0, len(w.logins)-1).Draw(w.r, "login")]
}

// check compares the stored data with the models.
func (w *simulation) check() {
	for i, l := range w.logins {
		if w.count(`SELECT count(*) FROM login_sessions WHERE id = $1 AND status = $2`, l.id, l.status) != 1 {
			w.t.Fatalf("login %d is not %s", i, l.status)
		}
		if n := w.count(`SELECT count(*) FROM audit_events WHERE login_id = $1 AND type = 'token.issued'`, l.id); n != l.tokens || n > 1 {
			w.t.Fatalf("login %d gave %d tokens, want %d", i, n, l.tokens)
		}
	}
}

// checkAnswer checks that a response is a success, or the refusal of the model.
func (w *simulation) checkAnswer(got answer, code string, success int) {
	w.t.Helper()
	if code == "" {
		if got.status != success {
			w.t.Fatalf("%d %s, want %d", got.status, got.body, success)
		}
		return
	}
	if m := got.json(w.t); got.status < 400 || got.status > 403 || m["error_code"] != code {
		w.t.Fatalf("%d %s, want %s", got.status, got.body, code)
	}
}

func (w *simulation) activate(*rapid.T) {
	l := w.any()
	w.checkAnswer(l.browser.post("/authorize/activate", map[string]any{"loginKeyId": l.id}), l.model.activate(w.Clock.Now()), http.StatusCreated)
}

func (w *simulation) poll(*rapid.T) { w.pollOf(w.any()) }

func (w *simulation) pollOf(l *simulatedLogin) {
	want := l.model.poll(w.Clock.Now())
	got := l.browser.poll(l.id)
	to, _ := got["redirectUrl"].(string)
	if got["status"] != want || (to != "") != (want == "VERIFIED" || want == "EXPIRED") {
		w.t.Fatalf("%v, want %s", got, want)
	}
	if was, seen := l.given[want]; seen && was != to {
		w.t.Fatalf("%s led to %s, now to %s", want, was, to)
	}
	l.given[want] = to
	u, err := url.Parse(to)
	if err != nil {
		w.t.Fatal(err)
	}
	q := u.Query()
	switch want {
	case "VERIFIED":
		if l.code = q.Get("code"); l.code == "" || q.Has("error") || q.Get("state") != state || !strings.HasPrefix(to, redirect+"&") {
			w.t.Fatalf("hand-back to %s", to)
		}
	case "EXPIRED":
		if q.Get("error") != "access_denied" || q.Has("code") || q.Get("state") != state || !strings.HasPrefix(to, redirect+"&") {
			w.t.Fatalf("back to %s", to)
		}
	}
}

// foreignPoll checks that another browser receives nothing and changes nothing.
func (w *simulation) foreignPoll(*rapid.T) {
	l := w.any()
	for _, other := range w.logins {
		if other != l {
			w.checkAnswer(other.browser.send(w.request("GET", "/authorize/status?loginKeyId="+l.id, "")), "session_mismatch", 0)
		}
	}
}

// proofOf draws a proof: its phone, its message, and a possible error.
func (w *simulation) proofOf(l *simulatedLogin) (message, phone string) {
	// Message ids are unique in the database, which earlier runs have used.
	message = w.logins[0].id + rapid.SampledFrom([]string{"m1", "m2", "m3"}).Draw(w.r, "message")
	return message, rapid.SampledFrom([]string{alice, bob}).Draw(w.r, "phone")
}

// proveModel applies a proof to the model, and records that the message was used.
func (w *simulation) proveModel(l *simulatedLogin, message, phone string) (duplicate bool, code string) {
	waited := l.status == "PENDING" || l.status == "ACTIVATED"
	duplicate, code = l.prove(w.Clock.Now(), phone, w.proofs[message])
	if waited && l.status == "VERIFIED" && message != "" {
		w.proofs[message] = true
	}
	return duplicate, code
}

const wrongWords = "abandon ability able"

func (w *simulation) sendMessage(*rapid.T) {
	l := w.any()
	message, phone := w.proofOf(l)
	if rapid.Bool().Draw(w.r, "wrong words") {
		if w.message(message, phone, "Bonjour "+wrongWords) {
			w.t.Fatal("a message with words of no login was accepted")
		}
		return
	}
	if !w.Clock.Now().Before(l.proveBy.Add(12 * time.Minute)) { // the words might belong to another login
		if w.message(message, phone, l.words) {
			w.t.Fatal("a message with words that are not reserved any more was accepted")
		}
		return
	}
	_, code := w.proveModel(l, message, phone)
	ended := code == "phone_conflict" && l.status == "EXPIRED"
	if taken := w.message(message, phone, "Bonjour! "+l.words); taken != (code == "" || ended) {
		w.t.Fatalf("taken: %v, for the model %q", taken, code)
	}
}

func (w *simulation) verifyCall(*rapid.T) {
	l := w.any()
	message, phone := w.proofOf(l)
	proof := w.proof(l.id, message, phone, l.words)
	code, duplicate := "", false
	switch rapid.SampledFrom([]string{"nothing", "nothing", "nothing", "words", "receiver", "time", "login"}).Draw(w.r, "wrong") {
	case "words":
		proof["matchingWords"], code = wrongWords, "words_mismatch"
	case "receiver":
		proof["receiverPhoneId"], code = otherID, "receiver_mismatch"
	case "time":
		proof["timestamp"], code = w.Clock.Now().UnixMilli()-60_001, "timestamp_skew"
	case "login":
		proof["loginKeyId"], code = unknownID, "login_unknown"
	default:
		duplicate, code = w.proveModel(l, message, phone)
	}
	got := w.verify(proof)
	if w.checkAnswer(got, code, http.StatusCreated); code == "" && got.json(w.t)["duplicate"] != duplicate {
		w.t.Fatalf("%s, want duplicate: %v", got.body, duplicate)
	}
}

func (w *simulation) useSandbox(*rapid.T) {
	l := w.any()
	number := rapid.SampledFrom([]string{"22300000001", "22300000099", alice}).Draw(w.r, "number")
	code, duplicate := "", false
	switch {
	case l.app.Mode != tenant.Test:
		code = "sandbox_live_client"
	case number == alice:
		code = "sandbox_number"
	default:
		duplicate, code = w.proveModel(l, "", number)
	}
	got := l.browser.sandbox(l.id, number)
	if w.checkAnswer(got, code, http.StatusCreated); code == "" && got.json(w.t)["duplicate"] != duplicate {
		w.t.Fatalf("%s, want duplicate: %v", got.body, duplicate)
	}
}

func (w *simulation) redeem(*rapid.T) {
	l := w.any()
	if l.code == "" { // it was not handed back, so this is a guess
		w.checkAnswer(w.exchange("/token", exchange(l.app, unknownID)), "code_unknown", 0)
		return
	}
	client, change, misfit := l.app, []string(nil), ""
	switch rapid.SampledFrom([]string{"nothing", "nothing", "verifier", "no verifier", "redirect", "client"}).Draw(w.r, "wrong") {
	case "verifier":
		change, misfit = []string{"code_verifier", strings.Repeat("v", 43)}, "pkce_mismatch"
	case "no verifier":
		change, misfit = []string{"code_verifier", "-"}, "pkce_mismatch"
	case "redirect":
		change, misfit = []string{"redirect_uri", localRedirect}, "code_redirect_mismatch"
	case "client":
		client, misfit = w.otherApp, "code_client_mismatch"
	}
	for range rapid.IntRange(1, 3).Draw(w.r, "times") {
		w.redeemAs(l, client, change, misfit)
	}
}

func (w *simulation) redeemAs(l *simulatedLogin, client app, change []string, misfit string) {
	path := rapid.SampledFrom([]string{"/token", "/oauth2/token"}).Draw(w.r, "path")
	success := map[string]int{"/token": http.StatusCreated, "/oauth2/token": http.StatusOK}[path]
	code := l.model.redeem(w.Clock.Now(), misfit)
	got := w.exchange(path, exchange(client, l.code, change...))
	w.checkAnswer(got, code, success)
	if code == "" {
		profile, _ := got.json(w.t)["profile"].(map[string]any)
		if profile["phone_e164"] != l.phone {
			w.t.Fatalf("the token is %v's, the proof was %s's", profile, l.phone)
		}
	}
}

func (w *simulation) wait(*rapid.T) {
	w.Clock.Advance(rapid.SampledFrom([]time.Duration{
		time.Millisecond, time.Second, 29 * time.Second, 30 * time.Second, 60*time.Second - time.Millisecond, 60 * time.Second,
		90*time.Second - time.Millisecond, 120 * time.Second,
	}).Draw(w.r, "for"))
}
