package system_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

const (
	shop     = "22376543210"
	receiver = "22376543211"
	branch   = "22376543212"
	awa      = "22370000001"
)

// One scenario through both programs: link numbers, sign in with a message, send messages and get their events,
// replies, and groups. Finally, the programs are killed.
func TestBothPrograms(t *testing.T) {
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for number, lid := range map[string]string{shop: "900001", receiver: "900002", branch: "900003", awa: "100001"} {
		s.AddUser(number, lid)
	}
	s.AddGroup(fakewhatsapp.Group{ID: "12036300001", Name: "Parents", Members: []string{awa, shop}, Admins: map[string]bool{shop: true}})
	d := deploy(t, s, receiver)
	d.startGriot()
	d.pair(shop, false)
	d.pair(receiver, true)
	d.startLinked(2)
	phone := phonetest.New(t, s, awa)

	account := d.admin("id", "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + d.admin("key", "api-keys", "create", "--account", account)
	d.admin("id", "senders", "add", "--account", account, "--channel", "whatsapp", "--address", shop, "--gateway", "linked")

	// A third number is linked from Griot while both run.
	d.pairByGriot(d.admin("id", "senders", "add", "--account", account, "--channel", "whatsapp", "--address", branch, "--gateway", "linked"), branch, key)

	// Only a message proves a login: no edit, reaction, or deletion does. They come before the words of the next login.
	ignored, chat := d.login(), types.NewJID(receiver, types.DefaultUserServer)
	earlier := phone.Send(t, receiver, "Bonjour")
	phone.SendMessage(t, receiver, phone.Client.BuildEdit(chat, earlier, &waE2E.Message{Conversation: proto.String(ignored.words)}))
	phone.SendMessage(t, receiver, &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: proto.String(earlier)}, Text: proto.String(ignored.words)}})
	phone.SendMessage(t, receiver, phone.Client.BuildRevoke(chat, types.EmptyJID, earlier))

	// A person signs in with the words.
	login := d.login()
	phone.Send(t, receiver, login.words)
	eventually(t, "the login", func() string {
		if got := login.status(t); got != "VERIFIED" {
			return fmt.Sprintf("got %s, want VERIFIED\n%s\n%s", got, d.griot.out, d.linked.out)
		}
		return ""
	})

	if got := ignored.status(t); got != "PENDING" && got != "EXPIRED" {
		t.Errorf("the login of an edit and a reaction is %s", got)
	}
	if got := d.exchange(login); got["phone_e164"] != awa || got["id"] == "" {
		t.Errorf("the application is told of %v, want %s", got, awa)
	}

	// The next time, WhatsApp hides the number. Both programs have kept whose ID it is.
	d.linked.kill()
	d.griot.kill()
	d.startGriot()
	d.startLinked(3)
	s.Identify(awa, fakewhatsapp.ByID)
	hidden := d.login()
	phone.Send(t, receiver, hidden.words)
	eventually(t, "the login without a number", func() string {
		if got := hidden.status(t); got != "VERIFIED" {
			return fmt.Sprintf("got %s, want VERIFIED\n%s\n%s", got, d.griot.out, d.linked.out)
		}
		return ""
	})
	if got := d.exchange(hidden); got["phone_e164"] != awa {
		t.Errorf("the application is told of %v, want %s", got, awa)
	}
	s.Identify(awa, fakewhatsapp.ByBoth)

	// A person writes first and gets a reply, which is read.
	phone.Send(t, shop, "Avez-vous du riz ?")
	d.inInbox(key, "Avez-vous du riz ?")
	sent := d.send(key, `{"channel":"whatsapp","to":"`+awa+`","message":"Oui, 50 sacs."}`)
	got := phone.Message(t)
	if text := phonetest.Text(got.Message); text != "Oui, 50 sacs." {
		t.Errorf("the phone got %q, want Oui, 50 sacs.", text)
	}
	d.becomes(key, sent, "DELIVERED")
	phone.Read(t, got)
	d.becomes(key, sent, "READ")
	phone.SendMessage(t, shop, phonetest.Reply("J'en prends deux.", got))
	d.inInbox(key, "J'en prends deux.", `"replyTo":"`+sent+`"`)
	d.quotes(key, phone, phone.Send(t, shop, "Et du mil ?"))
	phone.SendMessage(t, shop, &waE2E.Message{SpoilerMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{Conversation: proto.String("Un secret")}}})
	d.inInbox(key, "Un secret", `"type":"text"`)
	phone.SendMessage(t, shop, &waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: proto.Float64(12.6392), DegreesLongitude: proto.Float64(-8.0029), Name: proto.String("Marché rose")}})
	d.inInbox(key, "12.6392,-8.0029 Marché rose", `"type":"location"`)
	question := d.send(key, `{"channel":"whatsapp","to":"`+awa+`","message":"Livré où ?","whatsapp":{"interactive":{"buttons":[{"id":"home","title":"À la maison"},{"id":"shop","title":"Au marché"}]}}}`)
	if text := phonetest.Text(phone.Message(t).Message); !strings.Contains(text, "2. Au marché") {
		t.Errorf("the phone got %q, want numbered choices", text)
	}
	phone.Send(t, shop, "2")
	d.inInbox(key, "Au marché", `"choice":{"id":"shop","title":"Au marché"}`, `"replyTo":"`+question+`"`)
	picture := append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte("x"), 100_000)...)
	phone.SendAttachment(t, shop, phonetest.Attachment{Kind: whatsmeow.MediaImage, Data: picture, MIMEType: "image/png", Caption: "Voici le reçu."})
	d.attached(key, "Voici le reçu.", picture)
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture) }))
	defer files.Close()
	d.send(key, `{"channel":"whatsapp","to":"`+awa+`","message":"Votre sac.","mediaUrl":"`+files.URL+`/sac.png"}`)
	image := phone.Message(t).Message.GetImageMessage()
	if got, err := phone.Client.Download(t.Context(), image); err != nil || !bytes.Equal(got, picture) || image.GetCaption() != "Votre sac." {
		t.Errorf("the phone got %d bytes with caption %q, %v, want %d with Votre sac.", len(got), image.GetCaption(), err, len(picture))
	}

	// Groups.
	eventually(t, "the groups", func() string {
		r, err := call(t, "GET", d.api+"/api/partner/whatsapp/groups", "", key)
		if err != nil || r.status != http.StatusOK || !strings.Contains(r.raw, `"id":"12036300001@g.us"`) || !strings.Contains(r.raw, `"participants":2`) || !strings.Contains(r.raw, `"isAdmin":true`) {
			return fmt.Sprintf("got %+v, %v, want Parents", r, err)
		}
		return ""
	})
	d.send(key, `{"channel":"whatsapp","to":"`+awa+`","groupId":"12036300001@g.us","message":"Réunion à 17 h."}`)
	if got := phone.Message(t); phonetest.Text(got.Message) != "Réunion à 17 h." || !got.Info.IsGroup {
		t.Errorf("the phone got %q, want Réunion à 17 h. in a group", phonetest.Text(got.Message))
	}

	// The gateway is killed between WhatsApp's taking a message and its acknowledgment.
	s.Set(fakewhatsapp.Faults{DropAcks: true})
	lost := d.send(key, `{"channel":"whatsapp","to":"`+awa+`","message":"Une seule fois."}`)
	first := phonetest.Wait(t, phone, func(m *events.Message) bool { return phonetest.Text(m.Message) == "Une seule fois." })
	d.linked.kill()
	s.Set(fakewhatsapp.Faults{})
	d.startLinked(2)
	d.becomes(key, lost, "DELIVERED") // WhatsApp has kept the phone's receipt
	if n := s.Seen(first.Info.ID); n != 1 {
		t.Errorf("WhatsApp saw the message %d times, want once", n)
	}

	// Griot is down. Messages that arrive in the meantime are not lost, even if the gateway is also killed.
	d.griot.kill()
	for _, text := range []string{"un", "deux", "trois"} {
		phone.Send(t, shop, "pendant la panne : "+text)
	}
	eventually(t, "WhatsApp's queue", func() string {
		if n := s.Waiting(shop); n > 0 {
			return fmt.Sprintf("%d messages wait at WhatsApp, want none", n)
		}
		return ""
	})
	d.linked.kill()
	d.startLinked(2)
	d.startGriot()
	for _, text := range []string{"un", "deux", "trois"} {
		d.inInbox(key, "pendant la panne : "+text)
	}

	// The device is unlinked on the phone, and the state reaches the account.
	s.Kick(shop, fakewhatsapp.Removed())
	eventually(t, "the sender's state", func() string {
		r, err := call(t, "GET", d.api+"/api/senders", "", key)
		if err != nil || !strings.Contains(strings.ToLower(r.raw), "logged_out") {
			return fmt.Sprintf("got %+v, %v, want logged_out", r, err)
		}
		return ""
	})
	if out := d.devices("list"); !strings.Contains(out, shop+"\tlogged_out") || !strings.Contains(out, receiver+"\tlinked") {
		t.Errorf("devices list says %q, want %s logged out and %s linked", out, shop, receiver)
	}
	if out := d.devices("remove", shop); !strings.Contains(out, "forgotten") || strings.Contains(d.devices("list"), shop) {
		t.Errorf("devices remove says %q, want the number forgotten", out)
	}
	for _, text := range []string{"riz", "une seule fois", login.words, awa, secret} {
		if strings.Contains(strings.ToLower(d.linked.out.String()), strings.ToLower(text)) {
			t.Errorf("the log has %q in it", text)
		}
	}
}

// devices runs a command of griot-whatsapp devices.
func (d *deployment) devices(args ...string) string {
	d.t.Helper()
	c := exec.CommandContext(d.t.Context(), linked, append([]string{"devices"}, args...)...)
	c.Dir, c.Env = d.dir, append(environ(), d.env...)
	out, err := c.CombinedOutput()
	if err != nil {
		d.t.Fatalf("devices %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// send sends a message and returns its ID. Griot refuses the message until it knows the gateway's abilities.
func (d *deployment) send(key, body string) (id string) {
	d.t.Helper()
	eventually(d.t, "sending", func() string {
		r, err := call(d.t, "POST", d.api+"/api/send", body, key)
		if err != nil || r.status != http.StatusOK && r.status != http.StatusAccepted {
			return fmt.Sprintf("%v, %+v\n%s", err, r, d.griot.out)
		}
		id, _ = r.body["messageId"].(string)
		return ""
	})
	return id
}

// becomes waits until a message has a status.
func (d *deployment) becomes(key, id, want string) {
	d.t.Helper()
	eventually(d.t, "the message's status", func() string {
		r, err := call(d.t, "GET", d.api+"/api/status/"+id, "", key)
		if err != nil || r.body["status"] != want {
			return fmt.Sprintf("got %+v, %v, want %s\n%s", r, err, want, d.linked.out)
		}
		return ""
	})
}
