package device_test

import (
	"fmt"
	"testing"
	"time"

	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

// Error 463 has two causes. If a privacy token is missing or old, it is requested, and the same message goes. If the
// account is restricted, strangers get nothing until the end, and people who have written still get answers.
func TestDevice_TellsTheCausesOfError463(t *testing.T) {
	missing := &device.Failure{Class: device.Unreachable, Code: "privacy_token_missing", ProviderCode: "463"}
	locked := &device.Failure{Class: device.Unreachable, Code: "reach_out_timelock", ProviderCode: "463"}
	free, end := &fakewhatsapp.Timelock{}, time.Now().Add(3*time.Hour).Truncate(time.Second)
	restricted := &fakewhatsapp.Timelock{Active: true, Until: end}
	salt := fakewhatsapp.Salt{Salt: []byte("the salt of the account"), KeyID: []byte("key 1"), Key: make([]byte, 32)}
	for _, tt := range []struct {
		name     string
		stranger bool // she has never written
		lost     bool // her token never came
		old      time.Time
		salt     bool
		gives    bool // WhatsApp gives the token when it is asked for
		lock     *fakewhatsapp.Timelock
		want     *device.Failure
		seen     int
		until    time.Time // the end of the restriction; zero: none
	}{
		{name: "her token came with her message", lock: free, seen: 1},
		{name: "her token never came, and WhatsApp gives it", lost: true, gives: true, lock: free, seen: 2},
		{name: "her token is too old to be sent", lost: true, old: time.Now().AddDate(0, -3, 0), gives: true, lock: free, seen: 2},
		{name: "WhatsApp no longer accepts her token", lost: true, old: time.Now().Add(-time.Hour), gives: true, lock: free, seen: 2},
		{name: "the account's salt was never stored", lost: true, salt: true, lock: free, seen: 2},
		{name: "no token can be had", lost: true, lock: free, want: missing, seen: 1},
		{name: "no token, and the restriction is unknown", lost: true, want: missing, seen: 1},
		{name: "no token for a stranger", stranger: true, lost: true, lock: free, want: missing, seen: 1},
		{name: "a token for a stranger", stranger: true, lost: true, gives: true, lock: free, seen: 2},
		{name: "a restricted account and a stranger", stranger: true, lost: true, gives: true, lock: restricted, want: locked, seen: 1, until: end},
		{name: "the end is text", stranger: true, lost: true, gives: true, lock: &fakewhatsapp.Timelock{Active: true, Until: end, Text: true}, want: locked, seen: 1, until: end},
		{name: "no end is reported", stranger: true, lost: true, gives: true, lock: &fakewhatsapp.Timelock{Active: true}, want: locked, seen: 1, until: time.Now().Add(24 * time.Hour)},
		{name: "a stranger, and the restriction is unknown", stranger: true, lost: true, gives: true, want: locked, seen: 1, until: time.Now().Add(24 * time.Hour)},
		{name: "a restricted account answers", lost: true, gives: true, lock: restricted, seen: 2, until: end},
		{name: "a restricted account can't answer without a token", lost: true, lock: restricted, want: locked, seen: 1, until: end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := server(t)
			store := paired(t, s)
			d, h := run(t, s, store)
			phone := phonetest.New(t, s, awa)
			faults := fakewhatsapp.Faults{NeedTokens: ours, LoseTokens: tt.lost, GiveTokens: tt.gives, Timelock: tt.lock}
			s.Set(faults)
			if !tt.stranger {
				phone.Send(t, ours, "Bonjour")
				next(t, h.inbound, "message")
			}
			her := types.NewJID("100001", types.HiddenUserServer)
			if !tt.lost {
				phonetest.Until(t, "her token", func() bool {
					token, err := store.PrivacyTokens.GetPrivacyToken(t.Context(), her)
					return err == nil && token != nil
				})
			}
			if !tt.old.IsZero() {
				if err := store.PrivacyTokens.PutPrivacyTokens(t.Context(), wastore.PrivacyToken{User: her, Token: []byte("old"), Timestamp: tt.old}); err != nil {
					t.Fatal(err)
				}
			}
			if tt.salt {
				s.SetSalt(ours, salt)
				if err := store.AppStateKeys.PutAppStateSyncKey(t.Context(), salt.KeyID, wastore.AppStateSyncKey{Data: salt.Key, Fingerprint: []byte("fingerprint")}); err != nil {
					t.Fatal(err)
				}
			}
			f := send(t, d, device.Message{ID: "3EB01", To: device.Person{Number: awa}, Text: "x", Stranger: tt.stranger})
			if (f == nil) != (tt.want == nil) || f != nil && *f != *tt.want || s.Seen("3EB01") != tt.seen {
				t.Errorf("%+v, and WhatsApp saw it %d times, want %+v and %d", f, s.Seen("3EB01"), tt.want, tt.seen)
			}
			if tt.want == nil {
				phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == "3EB01" })
			}
			if tt.until.IsZero() {
				if c := d.State(); c.State != device.Connected {
					t.Fatalf("the state is %+v, want connected", c)
				}
				return
			}
			if c := h.await(t, device.Restricted); c.Reason != device.ReachOutTimelock || c.Until.Sub(tt.until).Abs() > time.Minute {
				t.Errorf("the state is %+v, want restricted until %v", c, tt.until)
			}
			if f := send(t, d, device.Message{ID: "3EB02", To: device.Person{Number: awa}, Text: "x", Stranger: true}); f == nil || f.Code != device.ReachOutTimelock || s.Seen("3EB02") != 0 {
				t.Errorf("another stranger: %+v, and WhatsApp saw it %d times, want reach_out_timelock and never", f, s.Seen("3EB02"))
			}
		})
	}
}

// WhatsApp ends a restriction early, and the device notices it with the next error 463 and with a notice.
func TestDevice_LearnsTheEndOfATimelock(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phonetest.New(t, s, awa)
	lock := fakewhatsapp.Timelock{Active: true, Until: time.Now().Add(time.Hour), Text: true}
	for _, lift := range []func(){
		func() { s.NotifyTimelock(ours, fakewhatsapp.Timelock{}) },
		func() {
			s.Set(fakewhatsapp.Faults{NeedTokens: ours, Timelock: &fakewhatsapp.Timelock{}})
			if f := send(t, d, device.Message{ID: "3EB01", To: device.Person{Number: awa}, Text: "x"}); f == nil || f.Code != "privacy_token_missing" {
				t.Errorf("to somebody who has written: %+v, want privacy_token_missing", f)
			}
		},
	} {
		s.NotifyTimelock(ours, lock)
		if c := h.await(t, device.Restricted); c.Until.Sub(lock.Until).Abs() > time.Minute {
			t.Errorf("restricted until %v, want %v", c.Until, lock.Until)
		}
		lift()
		h.await(t, device.Connected)
	}
	s.NotifyTimelock(ours, fakewhatsapp.Timelock{Active: true})
	if c := h.await(t, device.Restricted); c.Until.Before(time.Now().Add(23 * time.Hour)) {
		t.Errorf("without an end, restricted until %v, want a day", c.Until)
	}
}

// WhatsApp refuses single people's messages with 400 and 479. The number is not the cause, and other people get theirs.
func TestDevice_RefusedRecipients(t *testing.T) {
	s := server(t)
	s.AddGroup(fakewhatsapp.Group{ID: "12036300001", Name: "Parents", Members: []string{awa, ours}})
	d, _ := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	her := device.Person{Number: awa}
	for i, tt := range []struct {
		code int
		to   device.Message
		want device.Failure
	}{
		{400, device.Message{To: her}, device.Failure{Class: device.Unreachable, Code: "recipient_refused", ProviderCode: "400"}},
		{479, device.Message{To: her}, device.Failure{Class: device.Unreachable, Code: "recipient_refused", ProviderCode: "479"}},
		{479, device.Message{To: device.Person{ID: awaID}}, device.Failure{Class: device.Unreachable, Code: "recipient_refused", ProviderCode: "479"}},
		{400, device.Message{GroupID: "12036300001@g.us"}, device.Failure{Class: device.Permanent, Code: "refused", ProviderCode: "400"}},
		{463, device.Message{GroupID: "12036300001@g.us"}, device.Failure{Class: device.Permanent, Code: "refused", ProviderCode: "463"}},
		{405, device.Message{To: her}, device.Failure{Class: device.Permanent, Code: "refused", ProviderCode: "405"}},
		{503, device.Message{To: her}, device.Failure{Class: device.Temporary, Code: "provider_failed", ProviderCode: "503"}},
	} {
		s.Set(fakewhatsapp.Faults{AckError: tt.code})
		tt.to.ID, tt.to.Text = fmt.Sprintf("3EB0%d", i), "x"
		if f := send(t, d, tt.to); f == nil || *f != tt.want {
			t.Errorf("%d: %+v, want %+v", tt.code, f, tt.want)
		}
		if c := d.State(); c.State != device.Connected {
			t.Errorf("%d: the state is %+v, want connected", tt.code, c)
		}
		s.Set(fakewhatsapp.Faults{})
		if f := send(t, d, tt.to); f != nil {
			t.Errorf("%d: the second time: %+v, want none", tt.code, *f)
		}
		phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == tt.to.ID })
	}
}
