package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// page reads a page of logs and returns the message ids on it.
func (s *service) page(key, query string) (ids []string, next string) {
	s.t.Helper()
	a := s.do("GET", "/api/svc-logs?"+query, "", "X-API-Key: "+key)
	if a.status != 200 {
		s.t.Fatalf("%s: %d %s", query, a.status, a.raw)
	}
	logs, _ := a.body["logs"].([]any)
	for _, l := range logs {
		item, _ := l.(map[string]any)
		id, _ := item["messageId"].(string)
		ids = append(ids, id)
	}
	if a.body["count"] != float64(len(ids)) {
		s.t.Errorf("count %v of %d", a.body["count"], len(ids))
	}
	return ids, a.text("nextCursor")
}

// Rules: M117.
func TestLogs_PageThroughEverythingOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		var sent []string
		for i := range 23 { // several in the same millisecond, sandboxed ones among them
			if i%4 == 0 {
				s.Clock.Advance(time.Millisecond)
			}
			sent = append(sent, s.send(fmt.Sprintf(`{"to":"22376000001","channel":"sms","message":"n %d","sandbox":%v}`, i, i%3 == 0)).text("messageId"))
		}
		seen := map[string]bool{}
		query, pages := "limit=5", 0
		for {
			ids, next := s.page(s.LiveKey, query)
			pages++
			for _, id := range ids {
				if seen[id] {
					t.Fatalf("%s is on two pages", id)
				}
				seen[id] = true
			}
			if next == "" {
				break
			}
			s.send(`{"to":"22376000001","channel":"sms","message":"meanwhile"}`) // newer messages do not shift the pages
			query = "limit=5&cursor=" + next
		}
		for _, id := range sent {
			if !seen[id] {
				t.Errorf("%s is on no page", id)
			}
		}
		if pages != 5 {
			t.Errorf("%d pages of 5 for 23 messages, want 5", pages)
		}
	})
}

// Rules: M23, M115, M118.
func TestLogs_Filters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		sms := s.send(`{"to":"+22376000001","channel":"sms","message":"` + strings.Repeat("é", 130) + `"}`).text("messageId")
		s.Clock.Advance(time.Hour)
		mail := s.send(`{"to":"awa@example.com","channel":"email","message":"x","subject":"Salut"}`).text("messageId")
		s.Clock.Advance(time.Millisecond)
		code := s.send(`{"to":"22376000002","channel":"whatsapp","preset":"otp","presetVariables":{"code":"482913"}}`).text("messageId")
		s.Clock.Advance(time.Millisecond)
		s.Gateway.FailWith(gateway.Permanent, "refused")
		failed := s.send(`{"to":"22376000002","channel":"sms","message":"x"}`).text("messageId")
		for query, want := range map[string][]string{
			"status=FAILED": {failed}, "channel=email": {mail}, "to=awa@example.com": {mail}, "to=%2B22376000001": {sms}, "to=+22376000001": {sms}, "to=22376000002": {failed, code},
			"since=2026-03-04T12:30:00Z": {failed, code, mail}, "channel=sms&status=SENT": {sms}, "to=22376999999": nil, "limit=1": {failed}, "limit=200": {failed, code, mail, sms}, "since=0001-01-01T00:00:00Z&limit=4": {failed, code, mail, sms},
			"errorCode=refused": {failed}, "errorCode=refuse": nil, "errorCode=refused&channel=email": nil, "errorCode=": {failed, code, mail, sms},
		} {
			if got, _ := s.page(s.LiveKey, query); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		a := s.do("GET", "/api/svc-logs", "", "X-API-Key: "+s.LiveKey)
		if strings.Contains(a.raw, "482913") || !strings.Contains(a.raw, `"errorCode":"refused"`) || !strings.Contains(a.raw, `"preview":"`+strings.Repeat("é", 120)+`"`) {
			t.Errorf("got %s", a.raw)
		}
	})
}

// Rules: M116.
func TestLogs_BadParameters(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	cursor := message.Cursor{CreatedAt: s.Clock.Now(), ID: "msg_01KJWBG7G0NGJ7V25V1R3KGN47"}.Encode()
	if _, next := s.page(s.LiveKey, "cursor="+cursor); next != "" {
		t.Error("a page after nothing")
	}
	for query, want := range map[string]string{
		"limit=0": "invalid_request limit", "limit=201": "invalid_request limit", "limit=x": "invalid_request limit", "limit=-1": "invalid_request limit",
		"cursor=x": "invalid_cursor cursor", "cursor=" + cursor[1:]: "invalid_cursor cursor", "cursor=" + cursor + "A": "invalid_cursor cursor", "cursor=" + strings.Repeat("A", 40): "invalid_cursor cursor",
		"status=NONSENSE": "invalid_request status", "errorCode=a%20b": "invalid_request errorCode", "errorCode=" + strings.Repeat("a", 65): "invalid_request errorCode", "status=failed": "invalid_request status", "channel=pigeon": "invalid_channel channel", "since=yesterday": "invalid_request since", "to=%00": "invalid_request ",
	} {
		a := s.do("GET", "/api/svc-logs?"+query, "", "X-API-Key: "+s.LiveKey)
		if got := a.text("code") + " " + a.text("field"); a.status != 400 || got != want {
			t.Errorf("%s: %d %s", query, a.status, a.raw)
		}
	}
	s.wants(s.do("GET", "/api/svc-logs", ""), 401, "unauthorized")
}

// Rules: M12.
func TestLogs_AProjectSeesItsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		made, err := s.Directory.Create(t.Context(), &account.Spec{Name: "Two", Email: "two@example.com", Plan: "free", Projects: []string{"A", "B"}})
		if err != nil {
			t.Fatal(err)
		}
		projects, err := account.Projects(d.Read(t.Context()), made.ID)
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{s.Key(t, made.ID, projects[0].ID, account.ProjectKey), s.Key(t, made.ID, projects[1].ID, account.ProjectKey), s.Key(t, made.ID, "", account.Live)}
		var sent []string
		for _, key := range keys {
			sent = append(sent, s.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x","sandbox":true}`, "X-API-Key: "+key).text("messageId"))
		}
		for i, want := range []int{1, 1, 3} {
			got, _ := s.page(keys[i], "")
			if len(got) != want || (want == 1 && got[0] != sent[i]) {
				t.Errorf("key %d sees %v", i, got)
			}
		}
		if got, _ := s.page(s.LiveKey, url.Values{}.Encode()); len(got) != 0 {
			t.Errorf("another account sees %v", got)
		}
	})
}

func FuzzDecodeCursor(f *testing.F) {
	f.Add(message.Cursor{CreatedAt: time.UnixMilli(1_700_000_000_000), ID: "msg_01KJWBG7G0NGJ7V25V1R3KGN47"}.Encode())
	f.Add("x")
	f.Fuzz(func(t *testing.T, s string) {
		if c, ok := message.DecodeCursor(s); ok && c.Encode() != s {
			t.Fatalf("%q reads as %+v", s, c)
		}
	})
}

// A page examines a fixed number of messages, regardless of how many match. Reading all pages finds all matches.
// Rules: M117.
func TestLogs_AFilterIsBoundedByThePage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		const all, every = 12_000, 7_000
		grow(t, s.World, s.Account.ID, 0, all, every) // one match, the 5,001st from the top
		for _, filter := range []string{"to=22376000002", "status=FAILED", "metadata[order]=42", "to=22376000002&status=FAILED&channel=sms&since=2026-01-01T00:00:00Z"} {
			var found []string
			var pages []int
			for query := filter; ; {
				ids, next := s.page(s.LiveKey, query)
				found, pages = append(found, ids...), append(pages, len(ids))
				if next == "" {
					break
				}
				query = filter + "&cursor=" + next
			}
			if fmt.Sprint(pages) != "[0 1 0]" || len(found) != 1 || found[0] != "msg_00000000000000000000007000" {
				t.Errorf("%s: pages of %v messages, %v in all", filter, pages, found)
			}
		}
		if ids, next := s.page(s.LiveKey, "to=22376000002&since=2026-03-04T12:01:20Z"); len(ids) != 0 || next != "" { // the latest 4,000
			t.Errorf("a time that ends within a page: %v, then %q", ids, next)
		}
		if ids, next := s.page(s.LiveKey, "to=22376000001&limit=200"); len(ids) != 200 || next == "" {
			t.Errorf("a page that is full has %d messages, then %q", len(ids), next)
		}
		if ids, next := s.page(s.LiveKey, "limit=3"); fmt.Sprint(ids) != "[msg_00000000000000000000012000 msg_00000000000000000000011999 msg_00000000000000000000011998]" || next == "" {
			t.Errorf("without a filter: %v, then %q", ids, next)
		}
	})
}
