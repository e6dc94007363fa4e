package device_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/storetest"
)

func scan(t *testing.T, s *fakewhatsapp.Server, number string) func(string, time.Time) {
	return func(text string, until time.Time) {
		if left := time.Until(until); left < 10*time.Second || left > time.Minute {
			t.Errorf("the QR code is there for %v, want up to a minute", left)
		}
		if err := s.ScanQR(text, number); err != nil {
			t.Error(err)
		}
	}
}

func TestPair(t *testing.T) {
	s := server(t)
	st := storetest.New(t)
	if _, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: scan(t, s, awa)}); !errors.Is(err, device.ErrOtherNumber) {
		t.Errorf("another number: %v, want %v", err, device.ErrOtherNumber)
	}
	if all, err := st.Devices.GetAllDevices(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("%d devices are stored, %v, want none", len(all), err)
	}
	phonetest.Until(t, "the other phone to have no device", func() bool { return s.Devices(awa) == 0 })
	jid, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Code: true, Show: func(code string, until time.Time) {
		if left := time.Until(until); left < time.Minute || left > 3*time.Minute {
			t.Errorf("the code is there for %v, want up to 160 seconds", left)
		}
		if err := s.EnterCode(code, ours); err != nil {
			t.Error(err)
		}
	}})
	if parsed, parseErr := types.ParseJID(jid); err != nil || parseErr != nil || parsed.User != ours {
		t.Errorf("by phone code: %s, %v, want a device of %s", jid, err, ours)
	}
	_, err = pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: func(string, time.Time) { s.DropPairings() }})
	if !errors.Is(err, device.ErrPairLost) {
		t.Errorf("a lost connection: %v, want %v", err, device.ErrPairLost)
	}
	for options, want := range map[string]error{`{"challenge":"AAAA","rpId":"whatsapp.com"}`: device.ErrPasskey, "a newer form": device.ErrPasskeyFailed} {
		s.RequirePasskey(ours, options)
		if _, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: scan(t, s, ours)}); !errors.Is(err, want) {
			t.Errorf("with a passkey: %v, want %v", err, want)
		}
		_, err = pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Code: true, Show: func(code string, _ time.Time) {
			if err := s.EnterCode(code, ours); err != nil {
				t.Error(err)
			}
		}})
		if !errors.Is(err, want) {
			t.Errorf("with a passkey, by phone code: %v, want %v", err, want)
		}
	}
	s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 405}})
	if _, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: scan(t, s, ours)}); !errors.Is(err, device.ErrPairOutdated) {
		t.Errorf("outdated: %v, want %v", err, device.ErrPairOutdated)
	}
	s.Close()
	if _, err := pair(t, s, device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, Show: scan(t, s, ours)}); !errors.Is(err, device.ErrNoWhatsApp) {
		t.Errorf("without WhatsApp: %v, want %v", err, device.ErrNoWhatsApp)
	}
}

// The end of the context ends the pairing only before a phone is linked.
func TestPair_EndOfContext(t *testing.T) {
	s := server(t)
	st := storetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := device.PairConfig{Store: st.Devices.NewDevice(), Number: ours, HTTP: fakewhatsapp.HTTPClient(s.Addr), Show: func(string, time.Time) { cancel() }, Linking: func(context.Context, string) error { return nil }}
	if err := device.Pair(ctx, c); !errors.Is(err, context.Canceled) || s.Devices(ours) != 0 {
		t.Errorf("before a phone is linked: %v, %d devices, want canceled and none", err, s.Devices(ours))
	}
	refused := errors.New("the store is full")
	c.Store, c.Show, c.Linking = st.Devices.NewDevice(), scan(t, s, ours), func(context.Context, string) error { return refused }
	if err := device.Pair(t.Context(), c); !errors.Is(err, refused) {
		t.Errorf("if nothing could be stored before: %v, want %v", err, refused)
	}
	phonetest.Until(t, "the phone to have no device", func() bool { return s.Devices(ours) == 0 })
	c.Linking = func(context.Context, string) error { return nil }
	ctx, cancel = context.WithCancel(t.Context())
	saved := ""
	c.Store, c.Show = st.Devices.NewDevice(), scan(t, s, ours)
	c.Save = func(ctx context.Context, jid string) error {
		cancel()
		saved = jid
		return ctx.Err()
	}
	if err := device.Pair(ctx, c); err != nil || saved == "" || s.Devices(ours) != 1 {
		t.Errorf("after a phone was linked: %v, %d devices, want nil and one", err, s.Devices(ours))
	}
}

// When WhatsApp rotates the secret, a new QR code is displayed immediately.
func TestPair_ShowsTheRotatedCode(t *testing.T) {
	s := server(t)
	var shown []string
	jid, err := pair(t, s, device.PairConfig{Store: storetest.New(t).Devices.NewDevice(), Number: ours, Show: func(text string, _ time.Time) {
		shown = append(shown, text)
		next := s.RotateQR
		if len(shown) == 2 {
			next = func() error { return s.ScanQR(text, ours) }
		}
		if err := next(); err != nil {
			t.Error(err)
		}
	}})
	if err != nil || jid == "" || len(shown) != 2 || shown[0] == shown[1] {
		t.Errorf("got %q, %v after %d codes, want it linked by the second, which is another", jid, err, len(shown))
	}
}

// With the response of the passkey, the number is linked.
func TestPair_WithAPasskey(t *testing.T) {
	const options = `{"challenge":"AAAAdGhlIGNoYWxsZW5nZQ","rpId":"whatsapp.com","userVerification":"required"}`
	for name, tt := range map[string]struct {
		passkey func(ctx context.Context, request []byte) ([]byte, error)
		code    bool
		want    error
	}{
		"QR code":     {passkey: func(_ context.Context, request []byte) ([]byte, error) { return fakewhatsapp.UsePasskey(request) }},
		"phone code":  {passkey: func(_ context.Context, request []byte) ([]byte, error) { return fakewhatsapp.UsePasskey(request) }, code: true},
		"none":        {passkey: func(context.Context, []byte) ([]byte, error) { return nil, errors.New("canceled") }, want: device.ErrPasskey},
		"no response": {passkey: func(context.Context, []byte) ([]byte, error) { return []byte("undefined"), nil }, want: device.ErrPasskeyFailed},
		"another device": {passkey: func(context.Context, []byte) ([]byte, error) {
			return fakewhatsapp.UsePasskey([]byte(`{"challenge":"BBBB"}`))
		}, want: device.ErrPasskeyFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			s.RequirePasskey(ours, options)
			asked := ""
			jid, err := pair(t, s, device.PairConfig{
				Store: storetest.New(t).Devices.NewDevice(), Number: ours, Code: tt.code,
				Show: func(what string, _ time.Time) {
					enter := s.ScanQR
					if tt.code {
						enter = s.EnterCode
					}
					if err := enter(what, ours); err != nil {
						t.Error(err)
					}
				},
				Passkey: func(ctx context.Context, request []byte) ([]byte, error) {
					asked = string(request)
					return tt.passkey(ctx, request)
				},
			})
			if !errors.Is(err, tt.want) || (jid == "") != (tt.want != nil) || (s.Devices(ours) == 1) != (tt.want == nil) {
				t.Errorf("got %q, %v, and the phone has %d devices, want %v", jid, err, s.Devices(ours), tt.want)
			}
			if asked != options {
				t.Errorf("the browser was asked for %s, want %s", asked, options)
			}
		})
	}
}

// A phone that can't link devices yet can scan the same code again after an update.
func TestPair_TheSameCodeIsScannedAgain(t *testing.T) {
	s := server(t)
	shown := 0
	jid, err := pair(t, s, device.PairConfig{Store: storetest.New(t).Devices.NewDevice(), Number: ours, Show: func(text string, _ time.Time) {
		shown++
		if err := errors.Join(s.ScanWithOldPhone(text), s.ScanQR(text, ours)); err != nil {
			t.Error(err)
		}
	}})
	if err != nil || jid == "" || shown != 1 {
		t.Errorf("got %q, %v after %d codes, want it linked by the first", jid, err, shown)
	}
}

// If the first login fails, the device is still linked, and the next connection reports the reason.
func TestPair_FirstLoginFails(t *testing.T) {
	for _, reason := range []int{401, 402, 405, 503} {
		s := server(t)
		began := time.Now()
		jid, err := pair(t, s, device.PairConfig{Store: storetest.New(t).Devices.NewDevice(), Number: ours, Show: func(text string, _ time.Time) {
			s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: reason}})
			if err := s.ScanQR(text, ours); err != nil {
				t.Error(err)
			}
		}})
		if err != nil || jid == "" || s.Devices(ours) != 1 {
			t.Errorf("%d: got %q, %v, the phone has %d devices, want one that is stored", reason, jid, err, s.Devices(ours))
		}
		if took := time.Since(began); took > patience {
			t.Errorf("%d: it took %v, want no wait for a login that is over", reason, took)
		}
	}
}

func TestPair_UnlinksWhatIsNotSaved(t *testing.T) {
	s := server(t)
	st := storetest.New(t)
	full := errors.New("full")
	_, err := pair(t, s, device.PairConfig{
		Store: st.Devices.NewDevice(), Number: ours, Show: scan(t, s, ours), Save: func(context.Context, string) error { return full },
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	if all, err := st.Devices.GetAllDevices(t.Context()); len(all) != 0 || err != nil || s.Devices(ours) != 0 {
		t.Errorf("%d devices are stored, %v, the phone has %d, want none", len(all), err, s.Devices(ours))
	}
}
