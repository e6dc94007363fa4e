package gateway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

const bureau = "22376543219"

// logs is a log that can be read while it is written.
type logs struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// pairingWorld returns a world whose gateway logs, and whose WhatsApp knows another number of ours.
func pairingWorld(t *testing.T, change func(*gateway.Config)) (*world, *logs) {
	l := &logs{}
	w := newWorld(t, func(c *gateway.Config) {
		c.Log = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
		if change != nil {
			change(c)
		}
	}, storetest.Limits)
	w.whatsApp.AddUser(bureau, "900009")
	return w, l
}

func pairRequest(number, method string) object {
	return object{"channel": "whatsapp", "from": number, "method": method}
}

// startPairing starts a pairing and returns its progress.
func (w *world) startPairing(number, method string) protocol.PairProgress {
	w.t.Helper()
	status, p := ask[protocol.PairProgress](w.t, w.gateway, "POST", "/pair", pairRequest(number, method))
	if status != http.StatusOK {
		w.t.Fatalf("POST /pair: %d, want 200", status)
	}
	return p
}

func pairTarget(number string) string { return "/pair?channel=whatsapp&from=" + number }

// pairing waits until a pairing has a state.
func (w *world) pairing(number, state string) (p protocol.PairProgress) {
	w.t.Helper()
	phonetest.Until(w.t, "the pairing to be "+state, func() bool {
		var status int
		if status, p = ask[protocol.PairProgress](w.t, w.gateway, "GET", pairTarget(number), nil); status != http.StatusOK {
			w.t.Fatalf("GET /pair: %d, want 200", status)
		}
		if p.State == protocol.PairFailed && state != protocol.PairFailed {
			w.t.Fatalf("the pairing has failed: %s, want %s", p.Reason, state)
		}
		return p.State == state
	})
	return p
}

// failed waits until a pairing has failed.
func (w *world) failed(number, reason string) {
	w.t.Helper()
	if p := w.pairing(number, protocol.PairFailed); p != (protocol.PairProgress{State: protocol.PairFailed, Reason: reason}) {
		w.t.Errorf("the pairing ended with %+v, want %s and nothing to scan", p, reason)
	}
}

func (w *world) cancelPairing(number string) protocol.PairProgress {
	w.t.Helper()
	_, p := ask[protocol.PairProgress](w.t, w.gateway, "DELETE", pairTarget(number), nil)
	return p
}

func (w *world) connected(number string) {
	w.t.Helper()
	w.next(number+" to be connected", func(e protocol.Event) bool {
		return e.Connection != nil && e.Connection.From == number && e.Connection.State == string(device.Connected)
	})
}

// A number is linked with a QR code while the gateway runs, removed by its phone, and linked again with a pairing code.
func TestGateway_Pairs(t *testing.T) {
	w, log := pairingWorld(t, nil)
	if p := w.pairing(bureau, protocol.PairNone); p != (protocol.PairProgress{State: protocol.PairNone}) {
		t.Errorf("before: %+v, want none", p)
	}
	if lease, err := w.store.Acquire(t.Context(), bureau, "a process that was killed", w.config.Lease); lease == nil || err != nil {
		t.Fatalf("the lease of a process that was killed: %v, %v", lease, err)
	}
	if p := w.startPairing(bureau, "qr"); p != (protocol.PairProgress{State: protocol.PairStarting}) {
		t.Errorf("at first: %+v, want starting", p)
	}
	shown := w.pairing(bureau, protocol.PairWaiting)
	if shown.QR == "" || shown.Code != "" || time.Until(shown.ExpiresAt) < 10*time.Second {
		t.Errorf("it shows %+v, want a QR code for a while", shown)
	}
	if p := w.startPairing(bureau, "qr"); p != shown {
		t.Error("a second request did not go on with the pairing that is under way")
	}
	if err := w.whatsApp.ScanQR(shown.QR, bureau); err != nil {
		t.Fatal(err)
	}
	w.pairing(bureau, protocol.PairDone)
	w.connected(bureau)
	if p := w.startPairing(bureau, "code"); p != (protocol.PairProgress{State: protocol.PairFailed, Reason: "already_paired"}) {
		t.Errorf("once more: %+v, want already_paired", p)
	}

	w.whatsApp.Kick(bureau, fakewhatsapp.Removed())
	w.await(device.LoggedOut)
	w.pairing(bureau, protocol.PairNone)
	var code protocol.PairProgress
	phonetest.Until(t, "another pairing", func() bool { // the state is stored shortly after it is reported
		w.startPairing(bureau, "code")
		_, code = ask[protocol.PairProgress](t, w.gateway, "GET", pairTarget(bureau), nil)
		return code.Code != ""
	})
	if err := w.whatsApp.EnterCode(code.Code, bureau); err != nil {
		t.Fatal(err)
	}
	w.pairing(bureau, protocol.PairDone)
	w.connected(bureau)
	if n := w.whatsApp.Devices(bureau); n != 1 {
		t.Errorf("the phone has %d devices, want one", n)
	}
	if removed, err := w.store.Remove(t.Context(), bureau); err != nil || !removed {
		t.Errorf("removing: %v, %v, want true", removed, err)
	}
	w.await(device.LoggedOut)
	w.pairing(bureau, protocol.PairNone)
	for what, secret := range map[string]string{"the QR code": shown.QR, "its keys": strings.Split(shown.QR, ",")[3], "the code": code.Code, "Griot's secret": key.Secret} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is in the log", what)
		}
	}
}

func TestGateway_PairingsThatFail(t *testing.T) {
	w, _ := pairingWorld(t, nil)
	w.startPairing(bureau, "qr")
	if err := w.whatsApp.ScanQR(w.pairing(bureau, protocol.PairWaiting).QR, awa); err != nil {
		t.Fatal(err)
	}
	w.failed(bureau, "wrong_number")
	phonetest.Until(t, "the other number to be unlinked", func() bool { return w.whatsApp.Devices(awa) == 0 })

	for reason, options := range map[string]string{"passkey_required": `{"challenge":"AAAA","rpId":"whatsapp.com"}`, "passkey_failed": "a newer form"} {
		w.whatsApp.RequirePasskey(bureau, options)
		w.startPairing(bureau, "qr")
		if err := w.whatsApp.ScanQR(w.pairing(bureau, protocol.PairWaiting).QR, bureau); err != nil {
			t.Fatal(err)
		}
		w.failed(bureau, reason)
	}

	w.startPairing(bureau, "qr")
	qr := w.pairing(bureau, protocol.PairWaiting).QR
	w.startPairing(bureau, "code") // the other method starts a new pairing
	if code := w.pairing(bureau, protocol.PairWaiting); code.Code == "" || code.QR != "" {
		t.Errorf("by the other method it shows %+v, want a code to type", code)
	}
	if err := w.whatsApp.ScanQR(qr, bureau); err == nil {
		phonetest.Until(t, "the first QR code to be worth nothing", func() bool { return w.whatsApp.Devices(bureau) == 0 })
	}
	if p := w.cancelPairing(bureau); p != (protocol.PairProgress{State: protocol.PairFailed, Reason: "cancelled"}) {
		t.Errorf("canceled: %+v", p)
	}
	if p := w.cancelPairing(awa); p != (protocol.PairProgress{State: protocol.PairNone}) {
		t.Errorf("none is canceled: %+v, want none", p)
	}

	w.startPairing(bureau, "qr")
	w.pairing(bureau, protocol.PairWaiting)
	w.whatsApp.DropPairings()
	w.failed(bureau, "provider_failed")

	for name, tt := range map[string]struct {
		request object
		want    string
	}{
		"another channel": {object{"channel": "sms", "from": bureau, "method": "qr"}, "channel_unsupported"},
		"no number":       {object{"channel": "whatsapp", "from": "0612", "method": "qr"}, "number_invalid"},
		"another method":  {object{"channel": "whatsapp", "from": bureau, "method": "mail"}, "request_invalid"},
	} {
		if status, r := ask[protocol.Refusal](t, w.gateway, "POST", "/pair", tt.request); status == http.StatusOK || r.Error.Code != tt.want || r.Error.Class != device.Permanent {
			t.Errorf("%s: %d %+v, want %s", name, status, r, tt.want)
		}
	}
	if _, r := ask[protocol.Refusal](t, w.gateway, "GET", "/pair?channel=whatsapp", nil); r.Error.Code != "number_invalid" {
		t.Errorf("without a number: %+v, want number_invalid", r)
	}
}

func TestGateway_PairsManyAtOnce(t *testing.T) {
	w, _ := pairingWorld(t, func(c *gateway.Config) {
		c.Lease = time.Minute      // eight concurrent first logins keep a slow machine's disk busy
		c.LookInterval = time.Hour // linked numbers are connected without waiting for it
	})
	numbers := make([]string, pairing.MaxUnderWay)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("2237654330%d", i)
		w.whatsApp.AddUser(numbers[i], fmt.Sprint("91000", i))
		w.startPairing(numbers[i], "qr")
	}
	if status, r := ask[protocol.Refusal](t, w.gateway, "POST", "/pair", pairRequest(bureau, "qr")); status != http.StatusTooManyRequests || r.Error.Class != device.RateLimited || r.Error.RetryAfter == 0 {
		t.Errorf("one too many: %d %+v, want it refused for a while", status, r)
	}
	for _, n := range numbers {
		if err := w.whatsApp.ScanQR(w.pairing(n, protocol.PairWaiting).QR, n); err != nil {
			t.Error(err)
		}
	}
	for _, n := range numbers {
		w.pairing(n, protocol.PairDone)
	}
	for _, n := range numbers {
		phonetest.Until(t, n+" to be connected", func() bool { return w.whatsApp.Online(n) == 1 })
	}
	w.startPairing(bureau, "qr")
	w.pairing(bureau, protocol.PairWaiting)
	w.stop()
	if p := w.pairing(bureau, protocol.PairFailed); p.Reason != "cancelled" {
		t.Errorf("when the gateway ends: %+v, want cancelled", p)
	}
	if status, r := ask[protocol.Refusal](t, w.gateway, "POST", "/pair", pairRequest(bureau, "qr")); status == http.StatusOK || r.Error.Class != device.Temporary {
		t.Errorf("after the gateway's end: %d %+v, want temporary", status, r)
	}
}

func TestGateway_PairingExpires(t *testing.T) {
	w, _ := pairingWorld(t, func(c *gateway.Config) { c.PairTimeout = time.Second })
	w.startPairing(bureau, "qr")
	qr := w.pairing(bureau, protocol.PairWaiting).QR
	w.failed(bureau, "expired")
	if err := w.whatsApp.ScanQR(qr, bureau); err == nil {
		phonetest.Until(t, "the QR code to be worth nothing", func() bool { return w.whatsApp.Devices(bureau) == 0 })
	}
	if numbers, err := w.store.Numbers(t.Context()); err != nil || len(numbers) != 1 {
		t.Errorf("numbers are %+v, %v, want the shop's only", numbers, err)
	}
}

// With two processes on one store, one pairs a number and one connects it.
func TestGateway_PairingHasOneHolder(t *testing.T) {
	w, _ := pairingWorld(t, func(c *gateway.Config) {
		c.Store = storetest.Open(t, storetest.Postgres(t), storetest.Limits)
	})
	w.startPairing(bureau, "qr")
	shown := w.pairing(bureau, protocol.PairWaiting)
	second, _ := w.run()
	first := w.gateway
	w.gateway = second
	w.startPairing(bureau, "qr")
	w.failed(bureau, "held_elsewhere")
	w.gateway = first
	if err := w.whatsApp.ScanQR(shown.QR, bureau); err != nil {
		t.Fatal(err)
	}
	w.pairing(bureau, protocol.PairDone)
	w.connected(bureau)
	if n, devices := w.whatsApp.Online(bureau), w.whatsApp.Devices(bureau); n != 1 || devices != 1 {
		t.Errorf("the number has %d connections and %d devices, want one", n, devices)
	}
	w.gateway = second
	if p := w.startPairing(bureau, "qr"); p.Reason != "already_paired" {
		t.Errorf("the second process: %+v, want already_paired", p)
	}
}

// A process is killed after a phone has linked its device, and before the number is stored. The number is linked all the
// same. If the phone wasn't told to link the device, nothing is.
func TestGateway_CompletesThePairingOfAKilledProcess(t *testing.T) {
	w, _ := pairingWorld(t, nil)
	killed := func(number string) *store.Lease {
		t.Helper()
		lease, err := w.store.Acquire(t.Context(), number, "a process that is killed", w.config.Lease)
		if err != nil || lease == nil {
			t.Fatalf("the lease: %v, %v", lease, err)
		}
		return lease
	}
	lease := killed(bureau)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err := device.Pair(t.Context(), device.PairConfig{
			Store: w.store.Devices.NewDevice(), Number: bureau, HTTP: w.config.WhatsApp,
			Show: func(text string, _ time.Time) {
				if err := w.whatsApp.ScanQR(text, bureau); err != nil {
					t.Error(err)
				}
			},
			Linking: func(ctx context.Context, jid string) error { return w.store.SetLinking(ctx, lease, jid) },
			Save: func(context.Context, string) error { // the process ends here
				<-over
				return nil
			},
		})
		if err != nil {
			t.Error(err)
		}
	}()
	w.connected(bureau)
	if n := w.whatsApp.Devices(bureau); n != 1 {
		t.Errorf("the phone has %d devices, want one", n)
	}
	close(over)
	<-ended

	const never = "22376543218"
	if err := w.store.SetLinking(t.Context(), killed(never), never+":1@s.whatsapp.net"); err != nil {
		t.Fatal(err)
	}
	phonetest.Until(t, "the end of both pairings", func() bool {
		linking, err := w.store.Linking(t.Context())
		return err == nil && len(linking) == 0
	})
	numbers, err := w.store.Numbers(t.Context())
	if err != nil || slices.ContainsFunc(numbers, func(n store.Number) bool { return n.Number == never }) {
		t.Errorf("the store has %+v, %v, want nothing of %s", numbers, err, never)
	}
}
