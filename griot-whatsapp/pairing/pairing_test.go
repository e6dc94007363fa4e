package pairing_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/storetest"
)

const shop = "22376543210"

// A process that cannot renew the lease while it waits for a phone pairs nothing.
func TestPairer_LosesTheLease(t *testing.T) {
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.AddUser(shop, "900001")
	store := storetest.Open(t, filepath.Join(t.TempDir(), "store.db"), storetest.Limits)
	pairer := &pairing.Pairer{Store: store, WhatsApp: fakewhatsapp.HTTPClient(s.Addr), Lease: time.Second}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	text := ""
	err = pairer.Pair(ctx, shop, false, func(shown string, _ time.Time) {
		text = shown
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, pairing.ErrStore) {
		t.Errorf("got %v, want %v", err, pairing.ErrStore)
	}
	if err := s.ScanQR(text, shop); err == nil {
		phonetest.Until(t, "the QR code to be worth nothing", func() bool { return s.Devices(shop) == 0 })
	}
}
