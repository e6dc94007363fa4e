package api_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
)

// bucket returns a bucket of a series as "at total sent delivered read failed fallback".
func bucket(a *answer, i int) string {
	list, _ := a.body["buckets"].([]any)
	if i < 0 {
		i += len(list)
	}
	if i < 0 || i >= len(list) {
		return fmt.Sprint("none of ", len(list))
	}
	b := list[i]
	return fmt.Sprint(object(b, "at"), " ", object(b, "total"), object(b, "sent"), object(b, "delivered"), object(b, "read"), object(b, "failed"), object(b, "fallback"))
}

// Rules: M175.
func TestStats_CountsInSteps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		p.send(`{"to":"22376000001","channel":"sms","message":"a"}`)
		read := p.send(`{"to":"22376000002","channel":"whatsapp","message":"b"}`)
		p.Clock.Advance(2 * time.Second)
		if err := p.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: read.text("messageId"), Status: gateway.ReceiptRead, At: p.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		p.do("POST", "/api/send", `{"to":"22376000003","channel":"sms","message":"simulated","sandbox":true}`, "X-API-Key: "+p.LiveKey)
		p.Clock.Advance(time.Hour)
		p.Gateway.FailWith(gateway.Permanent, "recipient_refused")
		p.send(`{"to":"22376000004","channel":"sms","message":"c"}`)

		a := p.do("GET", "/api/stats?from=2026-03-04T11:30:00Z&to=2026-03-04T14:00:00Z", "", owner)
		list, _ := a.body["buckets"].([]any)
		if a.status != 200 || len(list) != 3 || a.body["complete"] != true || a.text("step") != "hour" || a.text("countedFrom") != "2026-03-04T11:00:00.000Z" {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		for i, want := range []string{"2026-03-04T11:00:00.000Z 0 0 0 0 0 0", "2026-03-04T12:00:00.000Z 2 2 1 1 0 0", "2026-03-04T13:00:00.000Z 1 0 0 0 1 0"} {
			if got := bucket(a, i); got != want {
				t.Errorf("bucket %d: %s, want %s", i, got, want)
			}
		}
		if object(a.body, "latencyMs", "delivered", "p50") != float64(1903) || !strings.Contains(a.raw, `"topErrors":[{"code":"recipient_refused","count":1}]`) {
			t.Errorf("%s", a.raw)
		}
		if a := p.do("GET", "/api/stats?channel=whatsapp&from=2026-03-04&step=day", "", owner); bucket(a, 0) != "2026-03-04T00:00:00.000Z 1 1 1 1 0 0" {
			t.Errorf("of a channel: %s", a.raw)
		}
		if a := p.do("GET", "/api/stats", "", owner); bucket(a, -1) != "2026-03-04T13:00:00.000Z 1 0 0 0 1 0" {
			t.Errorf("by default: %s", a.raw)
		}
		if a := p.do("GET", "/api/stats?from=2026-03-01", "", owner); a.text("step") != "day" {
			t.Errorf("of a longer time: %s", a.raw)
		}
		test := "X-API-Key: " + p.Key(t, p.Account.ID, "", account.Test)
		if a := p.do("GET", "/api/stats?step=day", "", test); !strings.Contains(a.raw, `"total":1,"sent":0`) || strings.Contains(a.raw, "recipient_refused") {
			t.Errorf("a test key sees %s", a.raw)
		}
		for query, want := range map[string]string{"from=x": "invalid_request", "to=x": "invalid_request", "step=minute": "invalid_request", "channel=x": "invalid_channel", "from=2026-03-05": "invalid_request", "from=2020-01-01": "invalid_request", "from=2026-01-01&step=hour": "invalid_request"} {
			p.wants(p.do("GET", "/api/stats?"+query, "", owner), 400, want)
		}
	})
}

func TestStats_ADeveloperSeesTheirProjects(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	shop := p.project(owner, "Boutique")
	awa, _ := p.member(owner, "awa@example.com")
	later := p.project(owner, "Plus tard")
	key := p.projectKey(awa, shop).text("secret")
	p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+key)
	p.send(`{"to":"22376000001","channel":"sms","message":"the owner's"}`)
	p.wants(p.do("GET", "/api/stats", "", awa), 400, "invalid_request")
	p.wants(p.do("GET", "/api/stats?projectId="+later, "", awa), 404, "project_not_found")
	if a := p.do("GET", "/api/stats?projectId="+shop, "", awa); !strings.HasSuffix(bucket(a, -1), " 1 1 0 0 0 0") {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

// Hourly counters end after 35 days, but daily counters do not.
// Rules: M188.
func TestStats_SaysSinceWhenHoursAreCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		p.send(`{"to":"22376000001","channel":"sms","message":"a"}`) // on 2026-03-04, at 12:00
		folder := &counts.Folder{DB: d, Now: p.Clock.Now, Log: slog.New(slog.DiscardHandler)}
		p.Clock.Advance(36 * 24 * time.Hour)
		owner := p.signIn(ownerEmail)
		for _, folded := range []bool{false, true} {
			if folded {
				if err := errors.Join(folder.Fold(t.Context()), folder.Sweep(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			a := p.do("GET", "/api/stats?step=hour&from=2026-03-04T11:30:00Z&to=2026-03-06", "", owner)
			if a.status != 200 || a.body["complete"] != false || a.text("countedFrom") != "2026-03-05T00:00:00.000Z" || bucket(a, 1) != "2026-03-04T12:00:00.000Z 0 0 0 0 0 0" {
				t.Errorf("by hours, folded %t: %d %s", folded, a.status, a.raw)
			}
			a = p.do("GET", "/api/stats?step=day&from=2026-03-04T11:30:00Z&to=2026-03-06", "", owner)
			if a.status != 200 || a.body["complete"] != true || a.text("countedFrom") != "2026-03-04T00:00:00.000Z" || bucket(a, 0) != "2026-03-04T00:00:00.000Z 1 1 0 0 0 0" {
				t.Errorf("by days, folded %t: %d %s", folded, a.status, a.raw)
			}
		}
	})
}

// Rules: M175.
func TestOTPStats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		key := "X-API-Key: " + p.LiveKey
		for i, to := range []string{"22376000001", "22376000002", "33600000001"} {
			a := p.do("POST", "/api/otp/send", `{"to":"`+to+`","channel":"sms"}`, key)
			if a.status != 200 {
				t.Fatal(a.raw)
			}
			if i == 0 {
				var code string
				for _, out := range p.Gateway.Calls() { // the notice of the sign-in can arrive before or after
					if out.To == to {
						code = sixDigits.FindString(out.Text)
					}
				}
				p.wants(p.do("POST", "/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, a.text("challengeId"), code), key), 200, "")
			}
		}
		p.Exec(t, `INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, '2237600', 0, $2)`, p.Account.ID, db.Ms(p.Clock.Now().Add(time.Hour)))
		a := p.do("GET", "/api/otp/stats", "", owner)
		if !strings.Contains(a.raw, `"countries":[{"country":"223","sent":2,"delivered":1,"verified":1,"medianSeconds":0},{"country":"33","sent":1,"delivered":0,"verified":0,"medianSeconds":null}]`) || !strings.Contains(a.raw, `"prefix":"2237600","country":"223","sent":2,"verified":1,"since":"1970-01-01T00:00:00.000Z"`) || !strings.Contains(a.raw, `"reason":"too_few_verified"`) || a.body["complete"] != true {
			t.Errorf("%d %s", a.status, a.raw)
		}
		if a := p.do("GET", "/api/otp/stats", "", "X-API-Key: "+p.Key(t, p.Account.ID, "", account.Test)); fmt.Sprint(a.body["countries"], a.body["held"]) != "[] []" {
			t.Errorf("a test key sees %s", a.raw)
		}
	})
}
