package account_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

func TestFindAccounts_ByIDNameOrAddress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := clock.NewFake(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
		dir := account.NewDirectory(d, c.Now)
		var made []*account.Account
		for i, name := range []string{"Boutique Awa", "100% Bio", "Banque_du_Sud", "Awa Transit"} {
			a, err := dir.Create(t.Context(), &account.Spec{Name: name, Email: fmt.Sprintf("owner%d@example.com", i), Plan: "free"})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, a)
			c.Advance(time.Minute)
		}
		for text, want := range map[string][]int{
			"": {3, 2, 1, 0}, "awa": {3, 0}, "AWA t": {3}, "owner1@": {1}, "%": {1}, "_": {2}, `\`: {}, made[2].ID: {2}, strings.ToLower(made[0].ID): {0}, made[2].ID[:20]: {}, "' OR 1=1 --": {},
		} {
			var got, ids []string
			for _, i := range want {
				ids = append(ids, made[i].ID)
			}
			for before := ""; ; {
				page, next, err := dir.FindAccounts(t.Context(), account.Search{Text: text, Before: before, Limit: 2})
				if err != nil || len(page) > 2 {
					t.Fatalf("%q: %d accounts, %v", text, len(page), err)
				}
				for _, a := range page {
					got = append(got, a.ID)
				}
				if before = next; next == "" {
					break
				}
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%q: got %v, want %v", text, got, ids)
			}
		}
	})
}
