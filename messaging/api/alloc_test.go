package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
)

// The cost of a message must not grow unnoticed. The test counts the allocations of the whole process, including its
// own request and recorder. Another batch of the database, or a timer, makes a small difference.
func TestAllocations_StayWithinTheirBudgets(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector makes pools forget at random")
	}
	const warm, measured = 100, 400
	s := newService(t, dbtest.SQLite(t), "unlimited")
	h := s.api.Handler()
	sent := 0
	send := func(headers ...string) string {
		sent++
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/send", strings.NewReader(fmt.Sprintf(`{"channel":"sms","to":"2237600%04d","message":"Bonjour"}`, sent)))
		r.Header["X-Api-Key"], r.Header["Content-Type"] = []string{s.LiveKey}, []string{"application/json"}
		for i := 0; i < len(headers); i += 2 {
			r.Header[headers[i]] = []string{headers[i+1]}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		_, after, _ := strings.Cut(w.Body.String(), `"messageId":"`)
		id, _, _ := strings.Cut(after, `"`)
		return id
	}
	for _, tc := range []struct {
		name   string
		run    func()
		budget uint64
	}{
		{"send", func() { send() }, 290},
		{"send with an idempotency key", func() { send("Idempotency-Key", fmt.Sprint("key-", sent)) }, 360},
		{"send with a receipt", func() {
			if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: send(), Status: gateway.ReceiptDelivered, At: s.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
		}, 345},
	} {
		for range warm {
			tc.run()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range measured {
			tc.run()
		}
		runtime.ReadMemStats(&after)
		if n := (after.Mallocs - before.Mallocs) / measured; n > tc.budget {
			t.Errorf("%s: %d allocations, the budget is %d", tc.name, n, tc.budget)
		}
	}
}
