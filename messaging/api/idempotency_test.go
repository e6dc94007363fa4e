package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
)

// requests sends requests with idempotency keys to every endpoint.
type requests struct {
	*service
	keys         map[string]string // by caller: live, test, one (a project), two (another)
	conversation string
}

func newRequests(t *testing.T, d *db.DB, change ...func(*api.Options)) *requests {
	t.Helper()
	s := newService(t, d, "business", change...)
	r := &requests{service: s, keys: map[string]string{"live": s.LiveKey, "test": s.Key(t, s.Account.ID, "", account.Test)}}
	for _, name := range []string{"one", "two"} {
		p, err := s.Directory.CreateProject(t.Context(), s.Account.ID, name)
		if err != nil {
			t.Fatal(err)
		}
		r.keys[name] = s.Key(t, s.Account.ID, p.ID, account.ProjectKey)
	}
	s.Receive(t, awa, "1", "Bonjour")
	r.conversation = s.conversationWith(awa)
	return r
}

// send sends a request by its name: the caller, and the kind of request if it is not a plain send ("one sandbox", "live batch").
func (d *requests) send(request, key string) *answer {
	d.t.Helper()
	who, how, _ := strings.Cut(request, " ")
	as := []string{"X-API-Key: " + d.keys[who], "Idempotency-Key: " + key}
	switch how {
	case "":
		return d.do("POST", "/api/send", good, as...)
	case "sandbox":
		return d.do("POST", "/api/send", strings.Replace(good, "{", `{"sandbox":true,`, 1), as...)
	case "header":
		return d.do("POST", "/api/send", good, append(as, "X-Svc-Sandbox: 1")...)
	case "batch":
		return d.do("POST", "/api/send/batch", `{"messages":[`+strings.Replace(good, "{", `{"idempotencyKey":"`+key+`",`, 1)+`,`+good+`]}`, as[0])
	case "code":
		d.Clock.Advance(10 * time.Minute) // three requests are accepted in that time
		return d.do("POST", "/api/otp/send", `{"to":"22376000001"}`, as...)
	case "reply":
		return d.do("POST", "/api/inbox/"+d.conversation+"/reply", `{"text":"x"}`, as...)
	case "assistant":
		return d.assistant("reply", `{"conversationId":"`+strings.TrimPrefix(d.conversation, "conversations/")+`","text":"x","idempotencyKey":"`+key+`"}`)
	}
	d.t.Fatalf("there is no request %q", request)
	return nil
}

// Rules: M70, M73, M148.
func TestIdempotency_AcrossDoors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newRequests(t, database)
		for first, seconds := range map[string]map[string]bool{ // whether the second gets the first's message
			"live":           {"live": true, "one": false, "test": false, "live sandbox": false, "live batch": true, "one batch": false, "live reply": true, "live assistant": true},
			"one":            {"one": true, "live": true, "two": false, "test": false, "one header": false, "one batch": true, "two batch": false, "live reply": true, "live assistant": true},
			"test":           {"test": true, "live sandbox": true, "live header": true, "live": false, "one": false, "one sandbox": false, "live batch": false, "live reply": false, "live assistant": false},
			"one sandbox":    {"one sandbox": true, "one header": true, "test": true, "live sandbox": true, "two sandbox": false, "one": false, "live": false},
			"one batch":      {"one batch": true, "one": true, "live": true, "two": false, "one sandbox": false},
			"live reply":     {"live reply": true, "live assistant": true, "live": true, "one": false, "test": false},
			"live assistant": {"live reply": true, "live assistant": true, "live": true, "two": false, "test": false},
			"live code":      {"live": true, "one": false, "test": false, "live sandbox": false},
		} {
			for second, replays := range seconds {
				key := first + ", then " + second
				before := d.send(first, key)
				stored, asked := d.countRows(), len(d.Gateway.Calls())
				id := identifier(before.raw)
				got := d.send(second, key)
				if before.status != 200 || id == "" {
					t.Fatalf("%s: %d %s", first, before.status, before.raw)
				}
				mails := 0
				if strings.HasSuffix(second, "batch") && replays {
					mails = 1 // the batch's other message
				}
				if n := len(d.Gateway.Calls()) - asked; n != mails {
					t.Errorf("%s: %d messages were handed over, want %d", key, n, mails)
				}
				if replays {
					if !strings.Contains(got.raw, id) || !strings.Contains(strings.ReplaceAll(got.raw, `\"`, `"`), `"deduplicated":true`) {
						t.Errorf("%s: got %d %s, want the stored message", key, got.status, got.raw)
					}
					continue
				}
				switch _, how, _ := strings.Cut(second, " "); how {
				case "batch":
					if out := fmt.Sprint(items(got)); out != "[409 idempotency_key_used 424 skipped]" {
						t.Errorf("%s: got %s", key, out)
					}
				case "assistant":
					if text, isError := d.result(got); !isError || !strings.Contains(text, `"code":"idempotency_key_used"`) {
						t.Errorf("%s: got %s", key, text)
					}
				default:
					d.wants(got, 409, "idempotency_key_used")
				}
				for _, secret := range []string{id, identifier(id), "SENT", "SANDBOX"} {
					if secret != "" && strings.Contains(got.raw, secret) {
						t.Errorf("%s: the answer tells of the other message: %s", key, got.raw)
					}
				}
				if d.countRows() != stored {
					t.Errorf("%s: something was stored", key)
				}
			}
		}
	})
}

// identifier returns the ID of a message in a response.
func identifier(raw string) string {
	for _, kind := range []string{"msg_", "sb_"} {
		if at := strings.Index(raw, kind); at >= 0 {
			return raw[at : at+len(kind)+26]
		}
	}
	return ""
}

// A code that is requested with another request's key would never arrive.
func TestIdempotency_OfCodesAcrossDoors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newRequests(t, database)
		for i, key := range []string{"a", "b", "c"} {
			to := fmt.Sprintf(`"to":"2237600001%d"`, i)
			d.wants(d.otp("send", `{`+to+`}`, "Idempotency-Key: "+key), 200, "")
			if a := d.otp("send", `{`+to+`}`, "Idempotency-Key: "+key); a.body["deduplicated"] != true {
				t.Errorf("its own: %s", a.raw)
			}
			asked := len(d.Gateway.Calls())
			for _, a := range []*answer{
				d.otp("send", `{`+to+`,"sandbox":true}`, "Idempotency-Key: "+key),
				d.do("POST", "/api/otp/send", `{`+to+`}`, "X-API-Key: "+d.keys["test"], "Idempotency-Key: "+key),
			} {
				d.wants(a, 409, "idempotency_key_used")
				if strings.Contains(a.raw, "otp_") || identifier(a.raw) != "" || len(d.Gateway.Calls()) != asked {
					t.Errorf("got %s", a.raw)
				}
			}
		}
		d.wants(d.otp("send", `{"to":"22376000020","sandbox":true}`, "Idempotency-Key: d"), 200, "")
		d.wants(d.otp("send", `{"to":"22376000020"}`, "Idempotency-Key: d"), 409, "idempotency_key_used")
	})
}

// Of two concurrent requests, one creates a message, and one gets a refusal that names nothing.
// Rules: M73.
func TestIdempotency_TwoDoorsAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		d := newRequests(t, database)
		for round := range 20 {
			for _, pair := range [][2]string{{"one", "two"}, {"live sandbox", "live"}, {"one batch", "two"}, {"one batch", "two batch"}} {
				key := fmt.Sprint(pair, round)
				messages := d.Int(t, `SELECT count(*) FROM messages`)
				var got [2]*answer
				var wg sync.WaitGroup
				for i, request := range pair {
					wg.Go(func() { got[i] = d.send(request, key) })
				}
				wg.Wait()
				refused, want := 0, 1
				for i, a := range got {
					batch := strings.HasSuffix(pair[i], "batch")
					switch {
					case strings.Contains(a.raw, "idempotency_key_used"):
						if refused++; identifier(a.raw) != "" {
							t.Errorf("%s: the refusal tells of the other message: %s", key, a.raw)
						}
						if batch && fmt.Sprint(items(a)) != "[409 idempotency_key_used 424 skipped]" {
							t.Errorf("%s: got %v", key, items(a))
						}
					case batch:
						want++ // its second message
					}
					if strings.Contains(a.raw, "deduplicated") {
						t.Errorf("%s: a replay of another's: %s", key, a.raw)
					}
				}
				if stored := d.Int(t, `SELECT count(*) FROM messages`) - messages; refused != 1 || stored != want {
					t.Errorf("%s: %d refused, %d stored, want 1 and %d: %s | %s", key, refused, stored, want, got[0].raw, got[1].raw)
				}
			}
		}
	})
}

// Two items of one batch use one key for real and simulated messages.
// Rules: M63.
func TestIdempotency_WithinABatch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, database *db.DB) {
		s := newService(t, database, "business")
		a := s.batch(`{"messages":[` + keyed + `,` + strings.Replace(keyed, "{", `{"sandbox":true,`, 1) + `,` + good + `]}`)
		if got := fmt.Sprint(items(a)); got != "[200 SENT 409 idempotency_key_used 424 skipped]" {
			t.Errorf("got %s", got)
		}
		twice := s.batch(`{"continueOnError":true,"messages":[` + strings.ReplaceAll(keyed+`,`+keyed, `"own"`, `"twice"`) + `]}`)
		if got := fmt.Sprint(items(twice)); got != "[200 SENT 200 replay]" {
			t.Errorf("one key twice: got %s", got)
		}
		if n := len(s.Gateway.Calls()); n != 2 {
			t.Errorf("%d messages sent, want 2", n)
		}
	})
}
