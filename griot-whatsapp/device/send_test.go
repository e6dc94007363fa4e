package device_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types/events"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

// Before whatsmeow submits a message, it asks WhatsApp about the recipient. If WhatsApp refuses that, nothing was
// submitted, and the same message goes when it is sent again.
func TestDevice_RefusedQueriesSubmitNothing(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	const group = "12036300009"
	slowDown := device.Failure{Class: device.RateLimited, Code: "slow_down", ProviderCode: "429", RetryAfter: 60}
	failed := device.Failure{Class: device.Temporary, Code: "lookup_failed", ProviderCode: "503"}
	for i, tt := range []struct {
		kind fakewhatsapp.Query
		code int
		want device.Failure
	}{
		{fakewhatsapp.Lookups, 429, slowDown},
		{fakewhatsapp.Lookups, 503, failed},
		{fakewhatsapp.Lookups, fakewhatsapp.NoResponse, device.Failure{Class: device.Temporary, Code: "timeout"}},
		{fakewhatsapp.Users, 429, slowDown},
		{fakewhatsapp.Users, 503, failed},
		{fakewhatsapp.Users, fakewhatsapp.NoResponse, device.Failure{Class: device.Temporary, Code: "timeout"}},
		{fakewhatsapp.Devices, 429, slowDown},
		{fakewhatsapp.Devices, 503, failed},
		{fakewhatsapp.Devices, fakewhatsapp.NoResponse, device.Failure{Class: device.Temporary, Code: "timeout"}},
		{fakewhatsapp.Devices, fakewhatsapp.Drop, device.Failure{Class: device.Temporary, Code: "number_disconnected"}},
		{fakewhatsapp.PreKeys, 429, device.Failure{Class: device.Temporary, Code: "lookup_failed"}}, // whatsmeow doesn't return its error
		{fakewhatsapp.PreKeys, 503, device.Failure{Class: device.Temporary, Code: "lookup_failed"}},
		{fakewhatsapp.PreKeys, fakewhatsapp.NoResponse, device.Failure{Class: device.Temporary, Code: "timeout"}},
		{fakewhatsapp.Groups, 429, slowDown},
		{fakewhatsapp.Groups, 503, failed},
		{fakewhatsapp.Groups, fakewhatsapp.NoResponse, device.Failure{Class: device.Temporary, Code: "timeout"}},
	} {
		t.Run(fmt.Sprintf("%s %d", tt.kind, tt.code), func(t *testing.T) {
			number := fmt.Sprintf("223710000%02d", i)
			s.AddUser(number, fmt.Sprintf("3000%02d", i))
			phone := phonetest.New(t, s, number)
			m := device.Message{ID: device.MessageID(ours, number), To: device.Person{Number: number}, Text: "Bonjour"}
			if tt.kind == fakewhatsapp.Groups {
				g := fmt.Sprintf("%s%02d", group, i)
				s.AddGroup(fakewhatsapp.Group{ID: g, Name: "Parents", Members: []string{number, ours}})
				m.To, m.GroupID = device.Person{}, g+"@g.us"
			}
			s.Set(fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{tt.kind: tt.code}, HideIDs: tt.kind == fakewhatsapp.Users})
			patience := patience
			if tt.code == fakewhatsapp.NoResponse {
				patience = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			p, f := d.Prepare(ctx, m)
			if f == nil {
				f = d.Deliver(ctx, p)
			}
			if f == nil || *f != tt.want || s.Seen(m.ID) != 0 {
				t.Errorf("%+v, and WhatsApp saw it %d times, want %+v and never", f, s.Seen(m.ID), tt.want)
			}
			s.Set(fakewhatsapp.Faults{})
			if tt.code == fakewhatsapp.Drop {
				for d.State().State != device.Connected {
					h.await(t, device.Connected)
				}
			}
			if f := send(t, d, m); f != nil {
				t.Fatalf("the second time: %+v", *f)
			}
			phonetest.Wait(t, phone, func(e *events.Message) bool { return e.Info.ID == m.ID })
		})
	}
}
