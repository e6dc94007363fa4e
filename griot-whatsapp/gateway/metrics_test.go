package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

func TestGateway_Metrics(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	get := func(path string) (int, string) {
		t.Helper()
		rec := httptest.NewRecorder()
		w.gateway.Probes().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		return rec.Code, rec.Body.String()
	}
	phone := phonetest.New(t, w.whatsApp, awa)
	w.taken(message("msg_1", "Bonjour", nil))
	phone.Message(t)
	w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil })
	phonetest.Until(t, "the receipt to be forgotten", func() bool {
		n, err := w.store.Waiting(t.Context())
		return n == 0 && err == nil
	})
	w.refused(message("msg_2", "", nil))
	w.away.Store(true)
	phone.Send(t, shop, "Bonsoir")
	phonetest.Until(t, "both events to be counted", func() bool { // the counter follows the store
		n, err := w.store.Waiting(t.Context())
		_, text := get("/metrics")
		return n == 1 && err == nil && strings.Contains(text, "\ngriot_whatsapp_inbound_total 1") && strings.Contains(text, "\n"+`griot_whatsapp_receipts_total{status="delivered"} 1`)
	})
	status, text := get("/metrics")
	for _, want := range []string{
		`griot_whatsapp_connections{state="connected"} 1`, `griot_whatsapp_connections{state="banned"} 0`, "griot_whatsapp_connects_total 1", `griot_whatsapp_sends_total{outcome="taken"} 1`,
		`griot_whatsapp_sends_total{outcome="permanent"} 1`, `griot_whatsapp_sends_total{outcome="unknown"} 0`, `griot_whatsapp_receipts_total{status="delivered"} 1`, "griot_whatsapp_inbound_total 1",
		"griot_whatsapp_spool_events 1", "griot_whatsapp_spool_bytes ", "griot_whatsapp_spool_oldest_seconds ", "griot_whatsapp_lease_losses_total 0", `griot_whatsapp_events_total{result="taken"} `, "go_goroutines ", "process_resident_memory_bytes ",
	} {
		if status != http.StatusOK || !strings.Contains(text, "\n"+want) {
			t.Errorf("/metrics answers %d and has no %q", status, want)
		}
	}
	for _, secret := range []string{shop, awa, "900001", "100001"} {
		if strings.Contains(text, secret) {
			t.Errorf("/metrics has %s in it", secret)
		}
	}
	for path, want := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusOK, "/send": http.StatusNotFound} {
		if status, _ := get(path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if status, text := get("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(text, "store") {
		t.Errorf("/readyz without a store: %d %q, want 503 for that", status, text)
	}
	if status, text := get("/metrics"); status != http.StatusOK || !strings.Contains(text, `griot_whatsapp_sends_total{outcome="taken"} 1`) {
		t.Errorf("/metrics without a store: %d, want what is known without it", status)
	}
	w.gateway.Drain()
	if status, text := get("/readyz"); status != http.StatusServiceUnavailable || text != "stopping\n" {
		t.Errorf("/readyz while it stops: %d %q, want 503 stopping", status, text)
	}
}
