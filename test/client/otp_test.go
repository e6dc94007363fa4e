package client_test

import (
	"errors"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/servicetest"
)

func TestCodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		c := s.client()
		s.then(servicetest.BreakAfter) // its answer is lost
		sent, err := c.SendCode(t.Context(), &griot.CodeRequest{To: "+22376000001", App: "Boutique", Locale: "en", TTLSeconds: 120})
		if err != nil || sent.Deduplicated || sent.Channel != griot.WhatsApp || sent.Expires().Sub(s.Clock.Now()) != 2*time.Minute {
			t.Fatalf("got %+v, %v, want a code by WhatsApp for two minutes", sent, err)
		}
		sends := s.Gateway.Calls()
		if len(sends) != 1 || sends[0].Code == "" {
			t.Fatalf("%d codes went out", len(sends))
		}
		wrong := &griot.Guess{ChallengeID: sent.ChallengeID, Code: "x"}
		if e, ok := errors.AsType[*griot.Error](c.VerifyCode(t.Context(), wrong)); !ok || e.Code != "invalid_code" {
			t.Errorf("a wrong guess: got %v, want invalid_code", e)
		}
		right := &griot.Guess{To: "+22376000001", Code: sends[0].Code}
		s.then(servicetest.BreakAfter)
		if _, ok := errors.AsType[*griot.UnansweredError](c.VerifyCode(t.Context(), right)); !ok || s.made() != 1 {
			t.Errorf("a guess whose answer was lost was made %d times", s.made())
		}
		if e, ok := errors.AsType[*griot.Error](c.VerifyCode(t.Context(), right)); !ok || e.Code != "not_found" {
			t.Errorf("the lost answer had used the code: %v", e)
		}
		again, err := c.SendCode(t.Context(), &griot.CodeRequest{To: "+22376000001", Channel: griot.SMS})
		if err != nil || c.VerifyCode(t.Context(), &griot.Guess{ChallengeID: again.ChallengeID, Code: s.Gateway.Calls()[1].Code}) != nil {
			t.Errorf("another code: got %+v, %v, want that it is right", again, err)
		}
	})
}
