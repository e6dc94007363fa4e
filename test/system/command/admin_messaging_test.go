package command_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// With only a configuration and griot admin: an account, a sender, a key, and an email
// that is sent through a mail server.
func TestAdmin_FromAConfigurationToASentEmail(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r, port := systemtest.StartRelay(t)
			s := systemtest.StartServeWith(t, url(), systemtest.MailGateway(port))
			o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
			send := func(key string, status int) *systemtest.Reply {
				t.Helper()
				sent, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"client@example.com","message":"Bonjour"}`, "X-API-Key: "+key)
				if err != nil || sent.Status != status {
					t.Fatalf("%v, %d %s, want %d\n%s", err, sent.Status, sent.Raw, status, s.Out)
				}
				return sent
			}
			a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "Awa@Example.com")
			key := systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID)
			send(key.Key, 409) // there is no sender
			o.MustFail("The gateway doesn't exist. Existing gateways: mail.", "senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "post")
			sender := systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", "awa@example.com", "--channel", "email", "--address", "awa@boutique.example", "--gateway", "mail")
			if sent := send(key.Key, 200); sent.Text("status") != "SENT" || sent.Body["limit"] != float64(10) {
				t.Errorf("sent: %s", sent.Raw)
			}
			r.Text(t, 1)
			if from := r.Mail(0).Header.Get("From"); !strings.Contains(from, "awa@boutique.example") {
				t.Errorf("from %s", from)
			}
			secrets := append(people(o, s, r, a), key.Key)

			if got := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "set", a.ID, "--plan", "pro", "--plan-expires", "2020-01-01", "--recipient-cap", "3", "--lang", "en"); a.Lang != "fr" || got.Lang != "en" || got.Plan != "pro" || got.Effective != "free" || *got.RecipientCap != 3 {
				t.Errorf("account %+v", got)
			}
			if got := systemtest.RunJSON[messagingverbs.Plan](o, "plans", "set", "free", "--daily-limit", "77"); *got.DailyLimit != 77 || *got.Rate != 2 || got.Inbox {
				t.Errorf("plan %+v", got)
			}
			if sent := send(key.Key, 200); sent.Body["limit"] != float64(77) { // immediately
				t.Errorf("sent: %s", sent.Raw)
			}
			later := `{"channel":"email","to":"client@example.com","message":"Bonjour","scheduledAt":"` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}`
			if scheduled, err := systemtest.Call("POST", s.Api+"/api/send", later, "X-API-Key: "+key.Key); err != nil || scheduled.Status != 202 {
				t.Fatalf("%v, %d %s, want it scheduled", err, scheduled.Status, scheduled.Raw)
			}
			o.MustFail("1 message waits for this sender.", "senders", "remove", sender.ID)
			if done := o.Run("api-keys", "revoke", "--account", a.ID, key.ID); done != "revoked  "+key.ID+"\n" {
				t.Errorf("got %q, want that %s is revoked", done, key.ID)
			}
			send(key.Key, 401)
			if err := s.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = s.Cmd.Wait()
			for _, secret := range secrets {
				if strings.Contains(s.Out.String(), secret) {
					t.Error("the server logged a secret")
				}
			}
			withoutServer(o, s, a, sender)
		})
	}
}

// people invites a developer by email, who accepts and creates a key that is revoked with their membership. It returns
// the values that must not be logged.
func people(o *systemtest.Operator, s *systemtest.Server, r *systemtest.Relay, a messagingverbs.Account) (secrets []string) {
	t := o.T
	p := systemtest.RunJSON[messagingverbs.Project](o, "projects", "create", "--account", a.ID, "--name", "Site")
	lonely := systemtest.RunJSON[messagingverbs.Invited](o, "members", "invite", "--account", a.ID, "--email", "dev@example.com")
	if !strings.HasPrefix(lonely.Link, s.Api+"/dashboard/invitation#") || lonely.EmailStatus != "" { // no platform sender yet
		t.Errorf("without a way to send an email: %+v", lonely)
	}
	o.Run("senders", "add", "--channel", "email", "--address", "bonjour@griot.example", "--gateway", "mail")
	invited := systemtest.RunJSON[messagingverbs.Invited](o, "members", "invite", "--account", a.ID, "--email", "dev@example.com", "--lang", "en")
	if invited.Link != "" || invited.EmailStatus != "SENT" {
		t.Errorf("invited %+v", invited)
	}
	text := r.Text(t, 2)
	token := regexp.MustCompile(`#(\S{43})\s`).FindStringSubmatch(text)
	if token == nil || !strings.Contains(text, "awa@example.com has invited you to join the team of the account “Boutique Awa”") {
		t.Fatalf("the email:\n%s", text)
	}
	do := func(method, path, body, cookie string) *systemtest.Reply {
		t.Helper()
		answer, err := systemtest.Call(method, s.Api+path, body, "Origin: "+s.Api, "Cookie: "+cookie)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	asking := do("POST", "/api/session", `{"email":"dev@example.com"}`, "")
	if asking.Status != 202 {
		t.Fatalf("asking for a code: %s", asking.Raw)
	}
	browser, _, _ := strings.Cut(asking.Header.Get("Set-Cookie"), ";")
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(r.Text(t, 3))
	in := do("POST", "/api/session/verify", fmt.Sprintf(`{"email":"dev@example.com","code":%q}`, code), browser)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	if ok := do("POST", "/api/session/invitation", fmt.Sprintf(`{"token":%q}`, token[1]), cookie); ok.Status != 200 {
		t.Fatalf("accepting: %d %s", ok.Status, ok.Raw)
	}
	made := do("POST", "/api/keys", fmt.Sprintf(`{"kind":"project","projectId":%q}`, p.ID), cookie)
	key := made.Text("secret")
	list := systemtest.RunJSON[[]messagingverbs.Member](o, "members", "list", "--account", a.ID)
	if len(list) != 1 || list[0].JoinedAt == nil || list[0].Email != "dev@example.com" {
		t.Fatalf("members %+v", list)
	}
	keys := systemtest.RunJSON[[]messagingverbs.Key](o, "api-keys", "list", "--account", a.ID)
	if len(keys) != 2 || keys[1].MemberID != list[0].ID || keys[1].Key != "" {
		t.Errorf("keys %+v", keys)
	}
	logs := func() int {
		answer, err := systemtest.Call("GET", s.Api+"/api/svc-logs", "", "X-API-Key: "+key)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status
	}
	if status := logs(); status != 200 {
		t.Errorf("a project key reads its logs: %d", status)
	}
	if gone := systemtest.RunJSON[messagingverbs.Removed](o, "members", "remove", "--account", a.ID, list[0].ID); gone.RevokedKeys != 1 {
		t.Errorf("removed %+v", gone)
	}
	if status := logs(); status != 401 {
		t.Errorf("a removed member's key: %d", status)
	}
	if me := do("GET", "/api/me", "", cookie); me.Status != 401 {
		t.Errorf("a removed member's session: %d", me.Status)
	}
	return []string{token[1], code, key, cookie, "dev@example.com"}
}

// withoutServer runs commands on the database while no server runs.
func withoutServer(o *systemtest.Operator, s *systemtest.Server, a messagingverbs.Account, sender messagingverbs.Sender) {
	t := o.T
	if list := systemtest.RunJSON[[]messagingverbs.Account](o, "accounts", "list"); len(list) != 1 || list[0].ID != a.ID || list[0].Email != "awa@example.com" {
		t.Errorf("accounts %+v", list)
	}
	i := systemtest.RunJSON[messagingverbs.Invited](o, "members", "invite", "--account", a.ID, "--email", "dev@example.com")
	if !strings.HasPrefix(i.Link, s.Api+"/dashboard/invitation#") || i.EmailStatus != "" {
		t.Errorf("invited %+v", i)
	}
	if shown := o.Run("members", "list", "--account", a.ID); !strings.Contains(shown, i.ID+"  dev@example.com  developer  -") || strings.Contains(shown, "#") {
		t.Errorf("members:\n%s", shown)
	}
	o.Run("members", "remove", "--account", a.ID, i.ID)
	k := systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.Email, "--kind", "test")
	if shown := o.Run("api-keys", "list", "--account", a.ID); strings.Contains(shown, k.Key) || !strings.Contains(shown, k.Key[:14]) || strings.Count(shown, "\n") != 4 {
		t.Errorf("keys:\n%s", shown)
	}
	if shown := o.Run("senders", "list", "--account", a.ID); !strings.Contains(shown, sender.ID+"  email    awa@boutique.example  mail") {
		t.Errorf("senders:\n%s", shown)
	}
	o.Run("senders", "warm-up", sender.ID, "--warm-up", "50", "--warm-up-days", "7")
	if shown := o.Run("senders", "list", "--account", a.ID); !strings.Contains(shown, "50, doubled for 7 days, from 20") {
		t.Errorf("senders:\n%s", shown)
	}
	if done := o.Run("senders", "warm-up", sender.ID, "--off"); !strings.HasSuffix(done, "warm-up  none\n") {
		t.Errorf("got %s, want no warm-up", done)
	}
	if list := systemtest.RunJSON[[]messagingverbs.Sender](o, "senders", "list", "--account", a.ID); len(list) != 1 || list[0].WarmUp != nil {
		t.Errorf("got %+v, want a sender without a warm-up", list)
	}
	warm := systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "email", "--address", "new@boutique.example", "--gateway", "mail", "--warm-up", "20", "--warm-up-days", "3")
	if warm.WarmUp == nil || warm.WarmUp.First != 20 || warm.WarmUp.Days != 3 {
		t.Errorf("got %+v, want a warm-up from 20, for 3 days", warm)
	}
	first := systemtest.RunJSON[messagingverbs.SenderPage](o, "senders", "list", "--limit", "2")
	second := systemtest.RunJSON[messagingverbs.SenderPage](o, "senders", "list", "--before", first.Next)
	if len(first.Senders) != 2 || first.Senders[0].ID != warm.ID || first.Senders[0].AccountID != a.ID || !first.Senders[1].Platform || len(second.Senders) != 1 || second.Senders[0].ID != sender.ID {
		t.Errorf("everybody's senders: %+v, then %+v", first, second)
	}
	if shown, more, code := o.Try("senders", "list", "--limit", "1"); code != 0 || !strings.Contains(shown, a.ID+"  ") || more != "There are more. To continue, add --before "+warm.ID+"\n" {
		t.Errorf("a page: exit %d, %q\n%s", code, more, shown)
	}
	o.MustEnd(exit.CodeUsage, "[account limit] were all set", "senders", "list", "--account", a.ID, "--limit", "1")
	o.Run("senders", "remove", warm.ID)
	o.MustFail("no other connected sender can send it", "senders", "remove", sender.ID, "--reroute")
	o.MustEnd(exit.CodeUsage, "[cancel reroute] were all set", "senders", "remove", sender.ID, "--reroute", "--cancel")
	if done := o.Run("senders", "remove", sender.ID, "--cancel"); done != "removed  "+sender.ID+"\nchanged  1\n" {
		t.Errorf("got %q, want the message canceled", done)
	}
	if found := systemtest.RunJSON[messagingverbs.SenderPage](o, "senders", "list"); len(found.Senders) != 1 || !found.Senders[0].Platform || found.Next != "" {
		t.Errorf("all senders %+v, want the platform's", found)
	}
	back := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "set", a.ID, "--plan-expires", "none", "--name", "Chez Awa", "--trial-ends", "2099-01-01T00:00:00Z")
	if back.Effective != "pro" || back.Name != "Chez Awa" || back.PlanExpiresAt != nil || back.TrialEndsAt == nil {
		t.Errorf("account %+v", back)
	}
	if shown := o.Run("accounts", "show", a.ID); !strings.Contains(shown, "name           Chez Awa") {
		t.Errorf("account:\n%s", shown)
	}
	if shown := o.Run("plans", "list"); !strings.Contains(shown, "free       77            2                false  -") || !strings.Contains(shown, "unlimited  -             -") {
		t.Errorf("plans:\n%s", shown)
	}
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"Another account has this email", []string{"accounts", "create", "--name", "x", "--email", "AWA@example.com"}},
		{"The plan doesn't exist", []string{"accounts", "create", "--name", "x", "--email", "x@example.com", "--plan", "gold"}},
		{"The email address is invalid", []string{"accounts", "create", "--name", "x", "--email", "x"}},
		{"1 to 100 visible characters", []string{"accounts", "create", "--name", " ", "--email", "x@example.com"}},
		{"The account doesn't exist", []string{"accounts", "show", "nobody@example.com"}},
		{"The account doesn't exist", []string{"api-keys", "create", "--account", "platform"}},
		{"fr or en", []string{"accounts", "set", a.ID, "--lang", "wo"}},
		{"fr or en", []string{"accounts", "create", "--name", "x", "--email", "y@example.com", "--lang", "wo"}},
		{"must be 1 to", []string{"accounts", "set", a.ID, "--recipient-cap", "-1"}},
		{"live, test, or project", []string{"api-keys", "create", "--account", a.ID, "--kind", "dashboard"}},
		{"A project key needs a project", []string{"api-keys", "create", "--account", a.ID, "--kind", "project"}},
		{"doesn't have this project", []string{"api-keys", "create", "--account", a.ID, "--kind", "project", "--project", "x"}},
		{"only project keys", []string{"api-keys", "create", "--account", a.ID, "--member", "x"}},
		{"doesn't have this key", []string{"api-keys", "revoke", "--account", a.ID, "x"}},
		{"already belongs to the account", []string{"members", "invite", "--account", a.ID, "--email", a.Email}},
		{"fr or en", []string{"members", "invite", "--account", a.ID, "--email", "x@example.com", "--lang", "de"}},
		{"doesn't have this member", []string{"members", "remove", "--account", a.ID, "x"}},
		{"whatsapp, sms, or email", []string{"senders", "add", "--channel", "pigeon", "--address", "x", "--gateway", "mail"}},
		{"1 to 30 days", []string{"senders", "warm-up", "snd_x", "--warm-up", "5", "--warm-up-days", "31"}},
		{"1 to 30 days", []string{"senders", "warm-up", "snd_x", "--warm-up", "0", "--warm-up-days", "3"}},
		{"The sender doesn't exist", []string{"senders", "warm-up", "snd_x", "--off"}},
		{"E.164", []string{"senders", "add", "--channel", "sms", "--address", "12", "--gateway", "mail"}},
		{"already a sender", []string{"senders", "add", "--channel", "email", "--address", "bonjour@griot.example", "--gateway", "mail"}},
		{"0 or more", []string{"senders", "add", "--channel", "sms", "--address", "22370000001", "--gateway", "mail", "--position", "-1"}},
		{"The sender doesn't exist", []string{"senders", "remove", "x"}},
		{"The plan doesn't exist", []string{"plans", "set", "gold", "--rate", "1"}},
		{"must be 1 to", []string{"plans", "set", "free", "--rate", "-1"}},
	} {
		o.MustFail(tt.want, tt.args...)
	}
	o.MustEnd(exit.CodeUsage, "must be a date", "accounts", "set", a.ID, "--plan-expires", "tomorrow")
	o.MustEnd(exit.CodeUsage, "exactly one ACCOUNT", "accounts", "set")
	o.MustEnd(exit.CodeUsage, "at least one of the flags", "senders", "warm-up", "snd_x")
}

func TestServe_PlansOff(t *testing.T) {
	_, port := systemtest.StartRelay(t)
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), systemtest.MailGateway(port)+"plans: off\nemail: {gateway: mail, from: bonjour@griot.example}\n")
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Mine", "--email", "me@example.com")
	key := systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID)
	for range 11 { // one more than the free plan allows
		sent, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"client@example.com","message":"Bonjour"}`, "X-API-Key: "+key.Key)
		if err != nil || sent.Status != 200 || sent.Body["limit"] != nil {
			t.Fatalf("%v, %d %s", err, sent.Status, sent.Raw)
		}
	}
}

// In dev, emails arrive in a virtual mailbox.
func TestDev_PeopleSignInWithTheVirtualMailbox(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir())
	const awa = "awa@example.com"
	o := &systemtest.Operator{T: t, Dir: t.TempDir(), Args: []string{"--data", p.Dir}}
	i := systemtest.RunJSON[messagingverbs.Invited](o, "members", "invite", "--account", "business@griot.example", "--email", awa)
	if handedOver := i.EmailStatus == "SENT" || i.EmailStatus == "DELIVERED"; !handedOver || i.Link != "" { // the phone's receipt might arrive first
		t.Errorf("invited %+v", i)
	}
	asking := p.Call("POST", p.BaseURL+"/api/session", `{"email":"`+awa+`"}`, "Origin: "+p.BaseURL)
	if asking.Status != 202 {
		t.Fatalf("a sign-in code was asked for: got %d %s, want it accepted", asking.Status, asking.Raw)
	}
	browser, _, _ := strings.Cut(asking.Header.Get("Set-Cookie"), ";")
	var texts []string
	waittest.Until(t, func() error {
		texts = nil
		list, _ := p.Call("GET", p.BaseURL+"/dev/phones/"+awa+"/messages", "").Body["messages"].([]any)
		for _, m := range list {
			item, _ := m.(map[string]any)
			text, _ := item["text"].(string)
			texts = append(texts, text)
		}
		if len(texts) < 2 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	token := regexp.MustCompile(`#(\S{43})\s`).FindStringSubmatch(texts[0])
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(texts[1])
	if token == nil || code == "" {
		t.Fatalf("emails %q", texts)
	}
	in := p.Call("POST", p.BaseURL+"/api/session/verify", fmt.Sprintf(`{"email":%q,"code":%q}`, awa, code), "Origin: "+p.BaseURL, "Cookie: "+browser)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	ok := p.Call("POST", p.BaseURL+"/api/session/invitation", fmt.Sprintf(`{"token":%q}`, token[1]), "Origin: "+p.BaseURL, "Cookie: "+cookie)
	if ok.Status != 200 || ok.Text("accountId") != p.Accounts.Business.ID {
		t.Errorf("got %d %s, want 200 for the business account", ok.Status, ok.Raw)
	}
	if out := p.Out.String(); strings.Contains(out, code) || strings.Contains(out, token[1]) {
		t.Error("the server logged a secret")
	}
}
