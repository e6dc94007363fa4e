package dashboard_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func TestInbox_ReadAndAnswered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/inbox"), http.StatusOK, "Send a WhatsApp message to &#43;223\u00a070\u00a000\u00a000\u00a001.")
		in := gateway.Inbound{ID: "1", Channel: gateway.WhatsApp, From: "22376000001", To: messagingtest.WhatsApp, DisplayName: `<b>Awa</b> "x"`, Text: `<script>alert(1)</script>`, At: w.Clock.Now(), Gateway: "fake"}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		list := p.Get("/dashboard/inbox")
		p.Wants(list, http.StatusOK, "&lt;b&gt;Awa&lt;/b&gt; &#34;x&#34;")
		p.Wants(list, http.StatusOK, `<span class="count">1</span>`) // in the navigation
		here := w.Conversation("22376000001")
		shown := p.Get(here)
		p.Wants(shown, http.StatusOK, "&lt;script&gt;alert(1)&lt;/script&gt;")
		if strings.Contains(shown.Body, "<script>alert") || strings.Contains(shown.Body, "<b>Awa") {
			t.Errorf("what was written is not text:\n%s", shown.Body)
		}
		if n := w.Unread(); n != 1 {
			t.Errorf("%d unread after the page was read, want 1: reading changes nothing", n)
		}
		p.Wants(p.Post(here+"/read"), http.StatusSeeOther, here)
		if n := w.Unread(); n != 0 {
			t.Errorf("%d unread after marking as read, want none", n)
		}
		p.Wants(p.Get(here), http.StatusOK, "Mark as unread")
		p.Wants(p.Post(here+"/unread"), http.StatusSeeOther, "/dashboard/inbox?done=marked_unread")
		if n := w.Unread(); n != 1 {
			t.Errorf("%d unread after marking as unread, want 1", n)
		}

		id := regexp.MustCompile(`id="(msg_[^"]+)"`).FindStringSubmatch(p.Get(here).Body)[1]
		quoting := p.Get(here + "?answer=" + id)
		p.Wants(quoting, http.StatusOK, `name="replyTo" value="`+id+`"`)
		p.Wants(p.Post(here+"/reply", "key", key(t, quoting), "text", " ", "replyTo", id), http.StatusBadRequest, `name="replyTo" value="`+id+`"`)
		p.Wants(p.Post(here+"/reply", "key", key(t, quoting), "text", "Ma réponse", "replyTo", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"), http.StatusBadRequest, "no longer exists")
		if other := p.Get(here + "?answer=msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"); other.Status != http.StatusOK || strings.Contains(other.Body, `name="replyTo"`) {
			t.Errorf("%d, a message that is not of the conversation is answered", other.Status)
		}
		w.Gateway.Replies.Store(true)
		p.Wants(p.Post(here+"/reply", "key", key(t, quoting), "text", "Ma réponse", "replyTo", id), http.StatusSeeOther, here)
		calls := w.Gateway.Calls()
		if got := calls[len(calls)-1]; got.Text != "Ma réponse" || got.ReplyTo.ProviderID != "1" {
			t.Errorf("the gateway got %+v, want an answer to the message 1", got)
		}
		p.Wants(p.Get(here), http.StatusOK, `<a class="quote" href="#`+id+`">`)

		one := key(t, p.Get(here))
		for range 2 {
			p.Wants(p.Post(here+"/reply", "key", one, "text", "Bonjour Awa"), http.StatusSeeOther, here)
		}
		if n := w.Calls("22376000001"); n != 2 {
			t.Errorf("two forms sent %d replies, want one each", n)
		}
		answered := p.Get(here)
		p.Wants(answered, http.StatusOK, "Bonjour Awa")
		p.Wants(answered, http.StatusOK, "/dashboard/messages/msg_")
		again := p.Post(here+"/reply", "key", one, "text", "Autre chose")
		p.Wants(again, http.StatusConflict, "already sent another reply")
		p.Wants(again, http.StatusConflict, "Autre chose</textarea>")
		p.Wants(p.Post(here+"/reply", "key", key(t, again), "text", "Autre chose"), http.StatusSeeOther, here)
		for _, text := range []string{"", " \n", strings.Repeat("é", 4097)} {
			p.Wants(p.Post(here+"/reply", "key", "k-"+fmt.Sprint(len(text)), "text", text), http.StatusBadRequest, "Write 1 to 4,096 characters.")
		}
		if n := w.Calls("22376000001"); n != 3 {
			t.Errorf("%d replies went out, want three", n)
		}
	})
}

func TestInbox_RepliesThatFail(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Receive(t, "22376000001", "1", "Bonjour")
	here := w.Conversation("22376000001")
	w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "window_closed", ProviderCode: "131047"}
	})
	for range 2 {
		p.Wants(p.Post(here+"/reply", "key", "k1", "text", "Trop tard"), http.StatusSeeOther, here)
	}
	p.Wants(p.Get(here), http.StatusOK, "only within 24 hours of the contact&#39;s last message")
	w.Gateway.SetState(messagingtest.WhatsApp, gateway.LoggedOut)
	refused := p.Post(here+"/reply", "key", "k2", "text", "Encore là ?")
	p.Wants(refused, http.StatusConflict, "None of your senders can send")
	p.Wants(refused, http.StatusConflict, "Encore là ?</textarea>")
	w.Receive(t, "22376000001", "2", "STOP")
	stopped := p.Get(here)
	p.Wants(stopped, http.StatusOK, "replies are refused")
	p.Wants(stopped, http.StatusOK, `href="/dashboard/opt-outs?channel=whatsapp&amp;q=%2B22376000001"`)
	if strings.Contains(stopped.Body, "<textarea") {
		t.Error("there is a form for a reply that would be refused")
	}
	p.Wants(p.Post(here+"/reply", "key", "k3", "text", "Quand même"), http.StatusConflict, "replies are refused")
}

func TestInbox_ShowsAttachmentsQuotesAndForms(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	receive := func(id string, in gateway.Inbound) {
		t.Helper()
		w.Clock.Advance(time.Second)
		in.ID, in.Channel, in.From, in.To, in.At, in.Gateway = id, gateway.WhatsApp, "22376000001", messagingtest.WhatsApp, w.Clock.Now(), "fake"
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	receive("1", gateway.Inbound{Text: "Ma question"})
	receive("2", gateway.Inbound{Type: gateway.InboundDocument, FileName: `<i>facture</i>.pdf`, MIMEType: "application/pdf", MediaURL: "https://media.example.com/1?a=1&b=2"})
	receive("3", gateway.Inbound{Type: gateway.InboundImage, MediaURL: "javascript:alert(1)", MIMEType: "image/png"})
	receive("4", gateway.Inbound{Text: "La suite", ReplyTo: gateway.Quoted{ProviderID: "1"}})
	receive("5", gateway.Inbound{Text: "Matin", Choice: gateway.Choice{ID: "8", Title: "Matin"}, Response: `{"taille":"<M>","nombre":2}`})
	receive("6", gateway.Inbound{Type: gateway.InboundImage, MediaData: "\x89PNG\x0d\x0a\x1a\x0a", FileName: "chat.png"})
	receive("7", gateway.Inbound{Type: gateway.InboundImage, MediaData: "<html><script>", MIMEType: "image/png", FileName: "page.png"})
	receive("8", gateway.Inbound{Type: gateway.InboundVideo, MediaLost: gateway.MediaTooLarge})
	shown := html.UnescapeString(p.Get(w.Conversation("22376000001")).Body)
	if got := regexp.MustCompile(`<img [^>]*>`).FindAllString(shown, -1); len(got) != 1 || !regexp.MustCompile(`src="/api/media/med_[0-9A-Z]{26}" alt="chat.png"`).MatchString(got[0]) {
		t.Errorf("pictures in place: %q, want the one that is stored", got)
	}
	for _, want := range []string{
		`page.png`, `it is too large</span>`,
		`<a class="file" href="https://media.example.com/1?a=1&b=2" target="_blank" rel="noopener noreferrer"`, "<i>facture</i>.pdf", `<span class="kind">Image</span>`, "Pressed a button",
		`<dt dir="auto">taille</dt><dd dir="auto"><M></dd>`, `<dt dir="auto">nombre</dt><dd dir="auto">2</dd>`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "javascript:") {
		t.Error("an attachment's address runs as a script")
	}
	if quote := regexp.MustCompile(`<a class="quote" href="#(msg_[^"]+)"><strong dir="auto">\+223\x{a0}76\x{a0}00\x{a0}00\x{a0}01</strong> <span dir="auto">Ma question`).FindStringSubmatch(shown); quote == nil || !strings.Contains(shown, `id="`+quote[1]+`"`) {
		t.Errorf("no quote of the question: %q", quote)
	}
}

func TestInbox_SearchAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		for i := range 61 {
			w.Clock.Advance(time.Second)
			w.Receive(t, "22376000001", fmt.Sprint("a", i), fmt.Sprintf("Message n° %d", i))
		}
		for i := range 31 {
			w.Clock.Advance(time.Second)
			w.Receive(t, fmt.Sprintf("223770000%02d", i), fmt.Sprint("b", i), "Bonjour")
		}
		rows := func(got *webtest.Page) int { return strings.Count(got.Body, `<span class="who"`) }
		link := func(got *webtest.Page, pattern string) string {
			t.Helper()
			found := regexp.MustCompile(pattern).FindStringSubmatch(got.Body)
			if found == nil {
				t.Fatalf("no %s in:\n%s", pattern, got.Body)
			}
			return html.UnescapeString(found[1])
		}
		first := p.Get("/dashboard/inbox")
		second := p.Get(link(first, `rel="next" href="([^"]+)"`))
		if rows(first) != 30 || rows(second) != 2 || strings.Contains(second.Body, `rel="next"`) {
			t.Errorf("%d and %d conversations, want 30 and 2", rows(first), rows(second))
		}
		here := w.Conversation("22376000001")
		newest := p.Get(here)
		older := p.Get(link(newest, `href="([^"]+before=[^"]+)"`))
		if n, m := strings.Count(newest.Body, `<li class="message`), strings.Count(older.Body, `<li class="message`); n != 50 || m != 11 || !strings.Contains(older.Body, "Newest messages") {
			t.Errorf("%d messages and %d older ones, want 50 and 11, and a way back", n, m)
		}
		found := p.Get("/dashboard/inbox?q=MESSAGE+n%C2%B0+5")
		if n := rows(found); n != 11 { // 5, 50 to 59
			t.Errorf("%d found, want 11", n)
		}
		at := p.Get(strings.Split(link(p.Get("/dashboard/inbox?q=n%C2%B0+50"), `<a href="(/dashboard/inbox/cnv_[^"]+)"`), "#")[0])
		if !strings.Contains(at.Body, "Message n° 50<") || strings.Contains(at.Body, "Message n° 51<") || !strings.Contains(at.Body, "Message n° 49<") {
			t.Errorf("the conversation is not shown from what was found:\n%s", at.Body)
		}
		if n := rows(p.Get("/dashboard/inbox?q=2237700002")); n != 10 {
			t.Errorf("%d with a part of a number, want 10", n)
		}
		many := p.Get("/dashboard/inbox?q=bonjour")
		more := p.Get(link(many, `href="([^"]+in=messages[^"]*)"`))
		if rows(many) != 20 || rows(more) != 11 {
			t.Errorf("%d and %d found, want 20 and 11", rows(many), rows(more))
		}
		p.Wants(p.Get("/dashboard/inbox?q=rien"), http.StatusOK, "Nothing found")
		for _, wrong := range []string{"cursor=x", "q=%ff", "q=" + strings.Repeat("x", 201), "q=x&in=messages&cursor=x"} {
			if got := p.Get("/dashboard/inbox?" + wrong); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `role="alert"`) {
				t.Errorf("%s: %d, want 400 with a word about it", wrong, got.Status)
			}
		}
		p.Wants(p.Get(here+"?before=x"), http.StatusBadRequest, "invalid_cursor")
	})
}

func TestInbox_OnlyWithThePlanAndOnlyOnesOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "pro"}); err != nil {
			t.Fatal(err)
		}
		owner, stranger := w.SignIn(messagingtest.OwnerEmail), w.SignIn("autre@example.com")
		w.Receive(t, "22376000001", "1", "Bonjour")
		here := w.Conversation("22376000001")
		for _, got := range []*webtest.Page{stranger.Get(here), stranger.Post(here+"/reply", "text", "x"), stranger.Post(here + "/read"), stranger.Post(here + "/unread")} {
			stranger.Wants(got, http.StatusNotFound, "conversation_not_found")
		}
		if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{Plan: new("free")}); err != nil {
			t.Fatal(err)
		}
		plain := owner.Get("/dashboard/inbox")
		owner.Wants(plain, http.StatusOK, "include the inbox")
		owner.Wants(plain, http.StatusOK, `href="/dashboard/billing"`)
		if strings.Contains(plain.Body, "Bonjour") || strings.Contains(plain.Body, "will be deleted") {
			t.Errorf("the page shows what is hidden:\n%s", plain.Body)
		}
		if err := w.Inbox.PurgeHidden(t.Context()); err != nil {
			t.Fatal(err)
		}
		owner.Wants(owner.Get("/dashboard/inbox"), http.StatusOK, "They will be deleted on 3 Apr 2026, 12:00 UTC")
		owner.Wants(owner.Get(here), http.StatusSeeOther, "/dashboard/inbox")
		for _, got := range []*webtest.Page{owner.Post(here+"/reply", "text", "x"), owner.Post(here + "/read"), owner.Post(here + "/unread")} {
			owner.Wants(got, http.StatusForbidden, "plan_required")
		}
		if n := w.Calls("22376000001"); n != 0 {
			t.Errorf("%d replies went out, want none", n)
		}
	})
}

// The list shows the account's messages, keeps names in any script on the left, and can hide conversations without unread messages.
func TestInbox_OwnMessagesAndUnreadOnes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		w.Receive(t, "22376000001", "1", "Bonjour")
		w.Receive(t, "22376000002", "2", "Salut")
		here := w.Conversation("22376000001")
		w.Gateway.Replies.Store(true)
		p.Wants(p.Post(here+"/reply", "key", key(t, p.Get(here)), "text", "Ma réponse"), http.StatusSeeOther, here)
		p.Wants(p.Post(here+"/read"), http.StatusSeeOther, here)
		p.Holds(p.Get("/dashboard/inbox"), `<span class="text">You: <bdi>Ma réponse</bdi>`, `<span class="text"><bdi>Salut</bdi>`, `<time class="short" `, `:00</time>`)
		p.Holds(p.Get("/dashboard/inbox?in=unread"), "Salut", "no Ma réponse", `<input type="hidden" name="in" value="unread">`, `?in=unread" class="unread">`)
		p.Post(w.Conversation("22376000002") + "/read")
		p.Holds(p.Get("/dashboard/inbox?in=unread"), "No unread messages", "no Salut")
		w.Receive(t, "22376000001", "3", "Merci")
		p.Holds(p.Get("/dashboard/inbox"), `<span class="text"><bdi>Merci</bdi>`, "no You:")
	})
}
