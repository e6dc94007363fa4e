package otp_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/sms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
)

// Rules: M91, M92.
func TestIssue_SaysWhatThePresetSays(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), "business")
	long, brand := strings.Repeat("a", 44)+".example", strings.Repeat("Long ", 14)+"Shop"
	for i, tc := range []struct {
		change func(*otp.Request)
		want   string // C represents the code
	}{
		{func(*otp.Request) {}, "C est votre code de vérification. Il expire dans 5 min. Ne le communiquez à personne."},
		{func(r *otp.Request) { r.App, r.TTL = "Boutique Awa", 61*time.Second }, "C est votre code de vérification Boutique Awa. Il expire dans 2 min. Ne le communiquez à personne."},
		{func(r *otp.Request) { r.Locale, r.App, r.TTL, r.Length = "en", " Shop ", time.Minute, 4 }, "C is your Shop verification code. It expires in 1 min. Do not share it with anyone."},
		{func(r *otp.Request) { r.Channel, r.Length = gateway.WhatsApp, 8 }, "C est votre code de vérification. Il expire dans 5 min. Ne le communiquez à personne."},
		{
			func(r *otp.Request) { r.Locale, r.App = "en", "https://Shop.example/" },
			"C is your shop.example verification code. It expires in 5 min. Do not share it with anyone.\n@shop.example #C",
		},
		{func(r *otp.Request) { r.Locale, r.App = "en", "shop.example" }, "C is your shop.example verification code. It expires in 5 min. Do not share it with anyone.\n@shop.example #C"},
		{func(r *otp.Request) { r.App = long }, "C est votre code de vérification. Il expire dans 5 min. Ne le communiquez à personne.\n@" + long + " #C"},
		{func(r *otp.Request) { r.App = brand }, "C est votre code de vérification " + brand + ". Ne le communiquez à personne."},
		{func(r *otp.Request) { r.App = strings.Repeat("x", 100) }, "C est votre code de vérification " + strings.Repeat("x", 100) + ". Il expire dans 5 min. Ne le communiquez à personne."},
		{func(r *otp.Request) { r.Locale, r.App = "en", "Hôtel" }, "C is your Hotel verification code. It expires in 5 min. Do not share it with anyone."},
		{func(r *otp.Request) { r.Channel, r.Locale, r.App = gateway.WhatsApp, "en", "Hôtel" }, "C is your Hôtel verification code. It expires in 5 min. Do not share it with anyone."},
		{func(r *otp.Request) { r.Locale, r.App = "en", "Ж" }, "C is your Ж verification code. Do not share it with anyone."},
	} {
		n := fmt.Sprintf("2237600%04d", i)
		w.issue(withNumber(n), tc.change)
		out := w.Gateway.Calls()[i]
		want := strings.ReplaceAll(tc.want, "C", w.code(n))
		if out.Text != want || out.To != n || out.HTML != "" || out.Subject != "" || !out.Sensitive {
			t.Errorf("got  %q\nwant %q", out.Text, want)
		}
		if _, segments, _ := sms.Measure(out.Text); (segments == 1) == strings.Contains(out.Text, "xxx") && out.Channel == gateway.SMS {
			t.Errorf("%d segments: %q", segments, out.Text)
		}
	}
}

// Rules: M91.
func TestHostOf(t *testing.T) {
	t.Parallel()
	for app, want := range map[string]string{
		"https://shop.example": "shop.example", "https://SHOP.Example/": "shop.example", "shop.example": "shop.example", "a.b-c.example": "a.b-c.example",
		"": "", "Boutique": "", "Dr.Keita": "", "boutique awa.ml": "", "http://shop.example": "", "https://shop.example:8443": "", "https://shop.example/login": "",
		"https://user@shop.example": "", "127.0.0.1": "", "version 2.0": "", "2.0": "", "shop..example": "", ".example": "", "-a.example": "", "a-.example": "", "é.example": "",
		"https://": "", "localhost": "", "shop.e": "",
	} {
		host, ok := otp.HostOf(app)
		if host != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", app, host, ok)
		}
	}
}

func FuzzHostOf(f *testing.F) {
	for _, s := range []string{"https://shop.example/", "shop.example", "Dr.Keita", "a.b\n@evil.example #1", "xn--bcher-kva.example"} {
		f.Add(s)
	}
	form := regexp.MustCompile(`\A[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+\z`)
	f.Fuzz(func(t *testing.T, app string) {
		host, ok := otp.HostOf(app)
		if ok && (!form.MatchString(host) || len(host) > 253 || !strings.Contains(strings.ToLower(app), host)) {
			t.Errorf("%q: %q", app, host)
		}
		if again, ok2 := otp.HostOf(host); ok && (!ok2 || again != host) {
			t.Errorf("%q is not its own host", host)
		}
	})
}

// Rules: M103.
func TestIssue_AMessageThatNeverLeftVoidsItsChallenge(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		// The stored data of a message that was not submitted, and its end.
		set := func(i *otp.Issued, status string, sent, unknown any) {
			w.Exec(t, `UPDATE messages SET status = $1, sent_at = CAST($2 AS BIGINT), unknown_at = CAST($3 AS BIGINT), handed_over = COALESCE(CAST($2 AS BIGINT), CAST($3 AS BIGINT)) WHERE id = $4`, status, sent, unknown, i.Send.Message.ID)
		}
		for n, tc := range []struct {
			status        string
			sent, unknown any
			want          string
		}{
			{"QUEUED", nil, nil, ""},
			{"SENDING", nil, nil, ""},
			{"EXPIRED", nil, nil, "not_found"},
			{"CANCELED", nil, nil, "not_found"},
			{"FAILED", nil, nil, "not_found"},
			{"FAILED", 1, nil, ""},
			{"FAILED", nil, 1, ""},
			{"DELIVERED", nil, nil, ""},
		} {
			address := fmt.Sprintf("2237600%04d", n)
			older := w.issue(withNumber(address))
			olderCode := w.code(address)
			i := w.issue(withNumber(address))
			code := w.code(address)
			set(i, tc.status, tc.sent, tc.unknown)
			if got := w.verify(i.ChallengeID, code); got != tc.want {
				t.Errorf("%s, sent %v, unknown %v: %q, want %q", tc.status, tc.sent, tc.unknown, got, tc.want)
			}
			if tc.want == "not_found" {
				if got := w.verifyTo(address, olderCode); got != "" {
					t.Errorf("%s: the code before it, by number: %q", tc.status, got)
				}
			} else if got := w.verify(older.ChallengeID, olderCode); got != "" {
				t.Errorf("%s: the code before it: %q", tc.status, got)
			}
		}
	})
}

func TestIssue_AnUnknownOutcomeCanBeVerified(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		w.Gateway.FailWith(gateway.Unknown, "lost_ack")
		i := w.issue()
		w.Clock.Advance(delivery.DefaultUnknownWait)
		w.Becomes(t, i.Send.Message.ID, message.Failed)
		if got := w.verify(i.ChallengeID, w.code(number)); got != "" {
			t.Errorf("got %q: it may have arrived", got)
		}
	})
}

// Rules: M101.
func TestIssue_Sandbox(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "free")
		live := w.issue()
		code := w.code(number)
		test := *w.LiveCaller
		test.Kind = account.Test
		w.Gateway.LoggedOut.Store(true) // it needs no gateway
		simulated := w.issue(sandboxed)
		byKey, err := w.OTP.Issue(t.Context(), &test, request())
		if err != nil {
			t.Fatal(err)
		}
		global := w.NewOTP(func(o *otp.Options) {
			o.Sandbox, o.Delivery = true, w.NewDelivery(func(o *delivery.Options) { o.Sandbox = true })
		})
		byServer, err := global.Issue(t.Context(), w.LiveCaller, request(withNumber(other)))
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []*otp.Issued{simulated, byKey, byServer} {
			if i.Send.Message.Status != message.Sandbox || !strings.HasPrefix(i.Send.Message.ID, "sb_") || i.Send.Used != 1 || i.Send.Message.Content.Text == "" {
				t.Errorf("got %+v", i.Send.Message)
			}
		}
		if w.sent() != 1 {
			t.Errorf("%d sent", w.sent())
		}
		for _, tc := range []struct {
			name  string
			who   *account.Caller
			guess otp.Guess
			want  string
		}{
			{"real, of a simulated challenge", w.LiveCaller, otp.Guess{ChallengeID: simulated.ChallengeID, Code: "000000"}, "not_found"},
			{"simulated, of a real one", w.LiveCaller, otp.Guess{ChallengeID: live.ChallengeID, Code: code, Sandbox: true}, "not_found"},
			{"by number", &test, otp.Guess{To: number, Code: "12"}, "invalid_code"},
			{"of fewer zeros", &test, otp.Guess{To: number, Code: "00000"}, "invalid_code"},
			{"all zeros", &test, otp.Guess{ChallengeID: byKey.ChallengeID, Code: "000000"}, ""},
			{"all zeros, by another way", w.LiveCaller, otp.Guess{ChallengeID: simulated.ChallengeID, Code: "000000", Sandbox: true}, ""},
			{"under the global sandbox", &test, otp.Guess{ChallengeID: byServer.ChallengeID, Code: "000000"}, "invalid_code"},
		} {
			if got := verifyCode(t, w.OTP.Verify(t.Context(), tc.who, &tc.guess)); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
			}
		}
		if got := w.verifyTo(number, code); got != "" {
			t.Errorf("a later challenge of the sandbox hides the code that was sent: %q", got)
		}
		if got := w.verify(live.ChallengeID, code); got != "not_found" {
			t.Errorf("used: %q", got)
		}
	})
}

// A code needs a number. The refusal does not count toward the limit for requests.
// Rules: M194.
func TestIssue_ToAWhatsAppID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, "business")
		for _, to := range []string{"ML.9001", "123456789@lid"} {
			for range 4 {
				w.refuses(apierror.NumberRequired, func(r *otp.Request) { r.To = to })
			}
		}
		if n := w.Int(t, `SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM otp_rates) + (SELECT count(*) FROM otp_challenges)`); n != 0 || w.sent() != 0 {
			t.Errorf("%d rows, %d calls", n, w.sent())
		}
	})
}
