package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const (
	first  = "22370000001" // the account's WhatsApp number
	backup = "22370000002"
	third  = "22370000004"
	ofSMS  = "22370000003"
	ofMail = "hello@example.com"
)

// withBackups gives the account three WhatsApp numbers.
func withBackups(s *account.Spec) {
	s.Senders = append(s.Senders, account.Sender{Channel: gateway.WhatsApp, Address: backup, Gateway: "fake"}, account.Sender{Channel: gateway.WhatsApp, Address: third, Gateway: "fake"})
}

func auto() *message.Request {
	return &message.Request{To: "+22376000001", Channel: message.Auto, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI, Email: "awa@example.com"}
}

// failsFrom makes the attempts of some senders fail.
func failsFrom(w *messagingtest.World, class gateway.Class, senders ...string) {
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		for _, s := range senders {
			if out.From == s {
				return gateway.Ack{}, &gateway.Error{Class: class, Code: "no_luck"}
			}
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
}

// routesTried lists the senders with which the gateway was called.
func routesTried(w *messagingtest.World) string {
	var out []string
	for _, o := range w.Gateway.Calls() {
		out = append(out, o.From)
	}
	return strings.Join(out, " ")
}

// Rules: M1, M28, M42, M45, M47, M48.
func TestAuto_TakesTheNextRouteWhenOneFails(t *testing.T) {
	for name, tc := range map[string]struct {
		class   gateway.Class
		fails   []string
		request func(*message.Request)
		want    string
		status  message.Status
	}{
		"WhatsApp works":                   {want: first, status: message.Sent},
		"its backup":                       {class: gateway.Temporary, fails: []string{first}, want: first + " " + backup, status: message.Sent},
		"no third number, but SMS":         {class: gateway.Permanent, fails: []string{first, backup}, want: first + " " + backup + " " + ofSMS, status: message.Sent},
		"not on WhatsApp: no backup":       {class: gateway.Unreachable, fails: []string{first}, want: first + " " + ofSMS, status: message.Sent},
		"email at last":                    {class: gateway.SenderDown, fails: []string{first, backup, ofSMS}, want: first + " " + backup + " " + ofSMS + " " + ofMail, status: message.Sent},
		"no address, no email":             {class: gateway.RateLimited, fails: []string{first, backup, ofSMS}, request: func(r *message.Request) { r.Email = "" }, want: first + " " + backup + " " + ofSMS, status: message.Failed},
		"nothing works":                    {class: gateway.Permanent, fails: []string{first, backup, ofSMS, ofMail}, want: first + " " + backup + " " + ofSMS + " " + ofMail, status: message.Failed},
		"media: WhatsApp only":             {class: gateway.Permanent, fails: []string{first, backup}, request: func(r *message.Request) { r.MediaURL = "https://example.com/x.png" }, want: first + " " + backup, status: message.Failed},
		"a group: WhatsApp only":           {class: gateway.Permanent, fails: []string{first, backup}, request: func(r *message.Request) { r.GroupID = "120363000000000001@g.us" }, want: first + " " + backup, status: message.Failed},
		"too long for SMS":                 {class: gateway.Permanent, fails: []string{first, backup}, request: func(r *message.Request) { r.Content.Text = strings.Repeat("x", 1531) }, want: first + " " + backup + " " + ofMail, status: message.Sent},
		"unknown: nobody else is asked":    {class: gateway.Unknown, fails: []string{first}, want: first, status: message.Sending},
		"unknown, but a code: it goes on":  {class: gateway.Unknown, fails: []string{first, backup}, request: func(r *message.Request) { r.Quick, r.Sensitive = true, true }, want: first + " " + backup + " " + ofSMS, status: message.Sent},
		"unknown, a code, and no more way": {class: gateway.Unknown, fails: []string{first, backup, ofSMS}, request: func(r *message.Request) { r.Quick, r.Sensitive, r.Email = true, true, "" }, want: first + " " + backup + " " + ofSMS, status: message.Sending},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free", withBackups)
				w.Gateway.MediaByLink.Store(true)
				w.Run(t, w.Delivery) // what has media waits for its worker
				failsFrom(w, tc.class, tc.fails...)
				r := auto()
				if tc.request != nil {
					tc.request(r)
				}
				m := w.Submit(t, r).Message
				if got := routesTried(w); got != tc.want || m.Status != tc.status {
					t.Fatalf("%s by %s, want %s by %s", m.Status, got, tc.status, tc.want)
				}
				refs := map[string]bool{}
				for i, out := range w.Gateway.Calls() {
					want := m.ID
					if i > 0 {
						want = fmt.Sprintf("%s-%d", m.ID, i+1)
					}
					if out.Ref != want || refs[out.Ref] {
						t.Errorf("attempt %d has the reference %s", i+1, out.Ref)
					}
					refs[out.Ref] = true
				}
				if want := map[bool]int{true: 0, false: 1}[tc.status == message.Failed]; usedQuota(t, w) != want {
					t.Errorf("quota %d, want %d: one unit however many routes, none for nothing", usedQuota(t, w), want)
				}
				stored := w.Message(t, m.ID)
				steps, err := stored.Timeline.Steps()
				if err != nil || len(steps) != len(w.Gateway.Calls())+1 || stored.Calls != len(w.Gateway.Calls()) || stored.RequestedChannel != message.Auto {
					t.Errorf("%d calls, timeline %v, %v", stored.Calls, stored.Timeline, err)
				}
			})
		})
	}
}

// Rules: M4, M46.
func TestAuto_SkipsWhatIsNotConnected(t *testing.T) {
	for name, tc := range map[string]struct {
		down []string
		want string
		err  *apierror.Kind
	}{
		"WhatsApp's first": {[]string{first}, backup, nil},
		"all WhatsApp":     {[]string{first, backup, third}, ofSMS, nil},
		"email alone":      {[]string{first, backup, third, ofSMS}, "", apierror.GatewayNotConnected},
	} {
		t.Run(name, func(t *testing.T) {
			w := messagingtest.New(t, dbtest.SQLite(t), "free", withBackups)
			for _, s := range tc.down {
				w.Gateway.SetState(s, gateway.LoggedOut)
			}
			_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, auto())
			if tc.err == nil && err != nil || tc.err != nil && !errors.Is(err, tc.err.Err()) {
				t.Fatalf("got %v, want %v", err, tc.err)
			}
			if got := routesTried(w); got != tc.want {
				t.Errorf("went by %q, want %q", got, tc.want)
			}
			if tc.err != nil && w.Int(t, `SELECT count(*) FROM messages`)+usedQuota(t, w) != 0 {
				t.Error("something was stored")
			}
		})
	}
}

// Rules: M33.
func TestAuto_ANamedSenderHasNoBackup(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free", withBackups)
	failsFrom(w, gateway.Permanent, backup)
	r := auto()
	for _, s := range w.Account.Senders {
		if s.Address == backup {
			r.SenderID = s.ID
		}
	}
	if m := w.Submit(t, r).Message; m.Status != message.Sent || routesTried(w) != backup+" "+ofSMS {
		t.Errorf("%s by %s", m.Status, routesTried(w))
	}
	r.SenderID = "snd_nobody"
	if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r); !errors.Is(err, apierror.SenderNotFound.Err()) {
		t.Errorf("got %v, want %v", err, apierror.SenderNotFound.Err())
	}
}

func receipt(t *testing.T, w *messagingtest.World, ref string, s gateway.ReceiptStatus) {
	t.Helper()
	if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: ref, Status: s, At: w.Clock.Now()}); err != nil && !(strings.HasPrefix(ref, "sb_") && errors.Is(err, gateway.ErrForeign)) { // no gateway had it
		t.Fatal(err)
	}
}

// Rules: M42.
func TestFallback_TakesTheNextRouteWhenNothingWasDelivered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.SetWebhook(t, "https://example.com/hook")
		w.Run(t, w.Delivery)
		slow, quick := auto(), auto()
		slow.FallbackAfter, quick.FallbackAfter = time.Minute, time.Minute
		a, b := w.Submit(t, slow).Message, w.Submit(t, quick).Message
		if a.Status != message.Sent || a.Channel != gateway.WhatsApp {
			t.Fatalf("%+v", a)
		}
		receipt(t, w, b.ID, gateway.ReceiptDelivered)
		w.Clock.Advance(time.Minute)
		w.Until(t, a.ID, "SENT by SMS", sentBySMS)
		if m := w.Message(t, b.ID); m.Status != message.Delivered || m.Channel != gateway.WhatsApp || !m.DueAt.IsZero() {
			t.Errorf("what was delivered moved on: %+v", m)
		}
		// A late delivery by WhatsApp is recorded, and nothing more is sent.
		receipt(t, w, a.ID, gateway.ReceiptDelivered)
		if m := w.Message(t, a.ID); m.Status != message.Delivered || !m.DueAt.IsZero() {
			t.Errorf("%s, due %v", m.Status, m.DueAt)
		}
		w.Clock.Advance(time.Hour)
		w.Becomes(t, queued(t, w, w.Clock.Now().Add(time.Hour)), message.Sent) // so Run has looked
		if got := len(w.Gateway.Calls()); got != 4 {
			t.Errorf("%d attempts, want 4: two, one more, and the last", got)
		}
		if usedQuota(t, w) != 2 {
			t.Errorf("quota %d", usedQuota(t, w))
		}
	})
}

func TestFallback_StaysOnTheRouteThatTookItWhenNoOtherWorks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		failsFrom(w, gateway.Permanent, ofSMS, ofMail)
		r := auto()
		r.FallbackAfter = time.Minute
		id := w.Submit(t, r).Message.ID
		w.Clock.Advance(time.Minute)
		m := w.Until(t, id, "SENT, and no longer due", func(m *message.Message) bool { return m.Status == message.Sent && m.DueAt.IsZero() })
		if m.Channel != gateway.WhatsApp || m.ProviderID != "p_"+id || routesTried(w) != first+" "+ofSMS+" "+ofMail || usedQuota(t, w) != 1 {
			t.Errorf("got %s by %s as %s, routes %s, used %d; want it SENT by WhatsApp, every route tried, and 1 used", m.Status, m.Channel, m.ProviderID, routesTried(w), usedQuota(t, w))
		}
	})
}

// A person whose phone is off gets no second copy from another number of the same channel, except for a code.
// Rules: M42.
func TestFallback_LeavesTheChannel(t *testing.T) {
	code := func(r *message.Request) {
		r.Preset, r.Content.Text, r.Variables = "otp", "", map[string]string{"code": "482913"}
	}
	for name, tc := range map[string]struct {
		request func(*message.Request)
		routes  []string
	}{
		"a message":               {func(*message.Request) {}, []string{first, ofSMS, ofMail}},
		"a code":                  {code, []string{first, backup, ofSMS, ofMail}},
		"nothing but one channel": {func(r *message.Request) { r.MediaURL = "https://example.com/x.png" }, []string{first}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free", withBackups)
				w.Gateway.MediaByLink.Store(true)
				w.Run(t, w.Delivery)
				r := auto()
				r.FallbackAfter = time.Minute
				tc.request(r)
				id := w.Submit(t, r).Message.ID
				for n := range tc.routes {
					m := w.Until(t, id, "SENT by route "+strconv.Itoa(n+1), func(m *message.Message) bool { return m.Status == message.Sent && m.RouteIndex == n+1 })
					if last := n == len(tc.routes)-1; m.DueAt.IsZero() != last {
						t.Errorf("by %s: due %v", m.From, m.DueAt)
					}
					w.Clock.Advance(time.Minute)
				}
				if got, want := routesTried(w), strings.Join(tc.routes, " "); got != want {
					t.Errorf("routes %q, want %q", got, want)
				}
			})
		})
	}
}

// Rules: M42.
func TestFallback_NeedsReceiptsAndAnotherRoute(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Run(t, w.Delivery)
	r := auto()
	r.FallbackAfter = time.Minute
	w.Gateway.NoReceipts.Store(true)
	if m := w.Message(t, w.Submit(t, r).Message.ID); !m.DueAt.IsZero() {
		t.Error("a gateway that reports nothing would always be left")
	}
	w.Gateway.NoReceipts.Store(false)
	r.MediaURL = "https://example.com/x.png"
	w.Gateway.MediaByLink.Store(true)
	if m := w.Message(t, w.Submit(t, r).Message.ID); !m.DueAt.IsZero() {
		t.Error("there is no other way to wait for")
	}
}

func TestReceipt_OfAFailureTakesTheNextRoute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		id := w.Submit(t, auto()).Message.ID
		receipt(t, w, id, gateway.ReceiptFailed)
		w.Until(t, id, "SENT by SMS", sentBySMS)
		receipt(t, w, id, gateway.ReceiptFailed) // again, on the previous route
		receipt(t, w, id+"-2", gateway.ReceiptFailed)
		w.Until(t, id, "SENT by email", func(m *message.Message) bool { return m.Channel == gateway.Email && m.Status == message.Sent })
		receipt(t, w, id+"-3", gateway.ReceiptFailed)
		if m := w.Message(t, id); m.Status != message.Failed || routesTried(w) != first+" "+ofSMS+" "+ofMail {
			t.Errorf("%s by %s", m.Status, routesTried(w))
		}
		if usedQuota(t, w) != 1 {
			t.Errorf("quota %d: it was handed over", usedQuota(t, w))
		}
	})
}

func sentBySMS(m *message.Message) bool { return m.Channel == gateway.SMS && m.Status == message.Sent }

func TestFallback_CanBeTheAccountsRule(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		minute := time.Minute
		if found, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{FallbackAfter: &minute}); err != nil || !found {
			t.Fatal(found, err)
		}
		live, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
		if err != nil {
			t.Fatal(err)
		}
		due := func(r *message.Request) time.Duration {
			t.Helper()
			res, err := w.Delivery.Submit(t.Context(), live, r)
			if err != nil || res.PayloadMismatch {
				t.Fatal(res, err)
			}
			m := w.Message(t, res.Message.ID)
			if m.DueAt.IsZero() {
				return 0
			}
			return m.DueAt.Sub(w.Clock.Now())
		}
		own := auto()
		own.FallbackAfter = 10 * time.Second
		r := auto()
		r.IdempotencyKey = "k"
		first, replay := due(r), due(r)
		if first != time.Minute || replay != time.Minute || due(own) != 10*time.Second || due(text("22376000001")) != 0 {
			t.Error("the account's rule holds where the request says nothing")
		}
	})
}
