package gateway_test

import (
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/internal/db"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

// A process that cannot reach the store closes the socket before another process can start.
func TestGateway_ClosesTheSocketOfALostLease(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	other := storetest.Open(t, w.path, storetest.Limits)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; {
		lease, err := other.Acquire(t.Context(), shop, "another", time.Minute)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the lease did not run out: %v", err)
		}
		if lease != nil {
			break
		}
	}
	if n := w.whatsApp.Online(shop); n != 0 {
		t.Errorf("the number has %d connections when its lease is over, want none", n)
	}
}

// If another process has one number's lease, that number's socket is closed, and the other numbers stay connected.
func TestGateway_LosesOneLeaseOfSeveral(t *testing.T) {
	const other = "22376543211"
	w := newWorld(t, nil, storetest.Limits)
	w.whatsApp.AddUser(other, "900002")
	w.pair(other)
	w.await(device.Connected)
	raw, err := db.Open(t.Context(), w.path, storetest.Box(t))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(t.Context(), `UPDATE griot_leases SET holder = 'another', epoch = epoch + 1, until_ms = until_ms + 3600000 WHERE number = ?1`, shop); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; {
		_, info := ask[protocol.Info](t, w.gateway, "GET", "/info", nil)
		states := map[string]string{}
		for _, c := range info.Connections {
			states[c.From] = c.State + " " + c.Reason
		}
		if w.whatsApp.Online(shop) == 0 && states[shop] == "connecting held_elsewhere" && states[other] == "connected " {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the lost lease's number has %d connections, and info says %+v, want none, and the other number connected", w.whatsApp.Online(shop), info.Connections)
		}
	}
	if n := w.whatsApp.Online(other); n != 1 {
		t.Errorf("the other number has %d connections, want one", n)
	}
}
