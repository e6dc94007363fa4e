package verbs_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/login"
	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// call calls a verb as a server does.
func call[Out any](t *testing.T, verbs verb.Verbs, name string, in any) (out Out, err error) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := verbs.Call(t.Context(), name, body)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

func TestWhatsAppIDs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		store := identity.New(identity.Options{DB: d, Now: clock.System, Log: slog.New(slog.DiscardHandler)})
		for i, number := range []string{"22376000001", "22376000002", "22376000003"} {
			in := gateway.Inbound{From: number, Person: gateway.PersonID{Portfolio: "gateway:cloud", ID: []string{"ML.9001", "ML.9001", "ML.9003"}[i]}, At: time.Now()}
			if _, err := store.Inbound(t.Context(), &in); err != nil {
				t.Fatal(err)
			}
		}
		key, err := seal.ParseKey(seal.NewMasterKey())
		if err != nil {
			t.Fatal(err)
		}
		logins := login.New(login.Options{DB: d, Key: key, Now: clock.System, Identity: store})
		verbs := authverbs.Verbs(nil, logins, nil, nil, nil)
		list := func(in authverbs.WhatsAppIDsInput) (pairs []string) {
			t.Helper()
			in.Limit = max(in.Limit, 1)
			found, err := call[[]authverbs.WhatsAppID](t, verbs, "people.ids.list", in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				pairs = append(pairs, f.Pair+" "+f.Reason)
			}
			return pairs
		}
		const first, second, third = "gateway:cloud~ML.9001~22376000001", "gateway:cloud~ML.9001~22376000002", "gateway:cloud~ML.9003~22376000003"
		for _, c := range []struct {
			in   authverbs.WhatsAppIDsInput
			want string
		}{
			{authverbs.WhatsAppIDsInput{Limit: 10}, first + " ," + second + " ," + third + " "},
			{authverbs.WhatsAppIDsInput{Limit: 1}, first + " "},
			{authverbs.WhatsAppIDsInput{Limit: 10, After: first}, second + " ," + third + " "},
			{authverbs.WhatsAppIDsInput{Limit: 10, Only: "conflicts"}, first + " ," + second + " "},
			{authverbs.WhatsAppIDsInput{Limit: 10, Of: "+223 76 00 00 03"}, third + " "},
			{authverbs.WhatsAppIDsInput{Limit: 10, Of: "ML.9001"}, first + " ," + second + " "},
		} {
			if got := strings.Join(list(c.in), ","); got != c.want {
				t.Errorf("%+v: %q, want %q", c.in, got, c.want)
			}
		}
		for _, in := range []authverbs.WhatsAppIDsInput{{Limit: 0}, {Limit: 1, Only: "all"}, {Limit: 1001}, {Limit: 1, Of: "awa.t"}, {Limit: 1, After: "ML.9001"}} {
			if _, err := call[[]authverbs.WhatsAppID](t, verbs, "people.ids.list", in); err == nil {
				t.Errorf("%+v was accepted", in)
			} else if _, refused := verb.Refusal(err); !refused {
				t.Errorf("%+v: %v, want a refusal", in, err)
			}
		}
		if out, err := call[authverbs.WithdrawnPair](t, verbs, "people.ids.withdraw", authverbs.WhatsAppPairInput{Pair: first}); err != nil || out.Pair != first {
			t.Errorf("withdrawn: %+v, %v", out, err)
		}
		for _, pair := range []string{first, "ML.9001", "a~b~c", "gateway:cloud~ML.9001~22376000009"} {
			if _, err := call[authverbs.WithdrawnPair](t, verbs, "people.ids.withdraw", authverbs.WhatsAppPairInput{Pair: pair}); err == nil {
				t.Errorf("%q was withdrawn", pair)
			}
		}
		if got := strings.Join(list(authverbs.WhatsAppIDsInput{Limit: 10, Of: "ML.9001"}), ","); got != first+" operator,"+second+" " {
			t.Errorf("afterward: %q", got)
		}
		var events int
		if _, err := d.Read(t.Context()).Row(`SELECT count(*) FROM audit_events WHERE type = 'whatsapp_id.withdrawn'`).Scan(&events); err != nil || events != 1 {
			t.Errorf("%d audit events, %v, want one", events, err)
		}
	})
}
