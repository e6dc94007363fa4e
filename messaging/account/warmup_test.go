package account_test

import (
	"fmt"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

func TestWarmUp_Allowance(t *testing.T) {
	w := account.WarmUp{From: 100, First: 50, Days: 4}
	got := ""
	for _, day := range []int64{99, 100, 101, 102, 103, 104, 5000} {
		limit, ok := w.Allowance(day)
		got += fmt.Sprint(limit, ok, " ")
	}
	if want := "50 true 50 true 100 true 200 true 400 true 0 false 0 false "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if limit, ok := (account.WarmUp{}).Allowance(100); ok {
		t.Errorf("none has a limit of %d", limit)
	}
	most := account.WarmUp{First: account.MaxWarmUpFirst, Days: account.MaxWarmUpDays}
	if limit, ok := most.Allowance(account.MaxWarmUpDays - 1); !ok || limit <= account.MaxWarmUpFirst {
		t.Errorf("the most is %d", limit)
	}
}

func TestSetWarmUp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		s, err := h.AddSender(t.Context(), account.Sender{AccountID: h.a.ID, Channel: "sms", Address: "22370000001", Gateway: "g", WarmUp: account.WarmUp{From: 9, First: 5, Days: 3}}, false, gatewayExists)
		h.must(err)
		for _, want := range []account.WarmUp{{From: 9, First: 5, Days: 3}, {From: 10, First: 6, Days: 2}, {}} {
			if want.From != 9 {
				found, err := h.SetWarmUp(t.Context(), s.ID, want)
				h.must(err)
				if !found {
					t.Fatal("not found")
				}
			}
			a, err := h.Account(t.Context(), h.a.ID) // immediately, despite the cache
			h.must(err)
			if a.Senders[0].WarmUp != want {
				t.Errorf("%+v, want %+v", a.Senders[0].WarmUp, want)
			}
		}
		if found, err := h.SetWarmUp(t.Context(), "snd_none", account.WarmUp{}); found || err != nil {
			t.Errorf("nobody's: %v, %v", found, err)
		}
	})
}
