package hidden_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A linked number reports a LID without a number. The account replies to the LID, and a login is held, because such a
// gateway can't ask for the number. After the gateway has learned the number, both know the person.
func TestRemote_LearnsTheNumberLater(t *testing.T) {
	t.Parallel()
	const lid = "123456789012345@lid"
	far := systemtest.NewRemoteGateway(t, true)
	w := newWorldWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "far", far.Settings("far", "whatsapp"))
	s := w.start()
	systemtest.WaitUntilConnected(t, s.Api, w.key)
	reportFar(t, s, "inbound", `"id":"1","fromId":%q,"to":%q,"text":"Where is my order?"`, lid, ours)
	list := w.conversations(s)
	if len(list) != 1 || !list[0].is("", lid, "") {
		t.Fatalf("the inbox has %v", list)
	}
	reply := func(text, toID string) {
		t.Helper()
		w.api(s, 200, "POST", "/api/inbox/conversations/"+list[0].ID+"/reply", fmt.Sprintf(`{"text":%q}`, text))
		waittest.Until(t, func() error {
			if sent, _ := far.Delivered(); sent[text] != 1 {
				return fmt.Errorf("%w: the gateway got %v", systemtest.ErrNotYet, sent)
			}
			return nil
		})
		far.Mu.Lock()
		defer far.Mu.Unlock()
		if got := far.ToIDs[text]; got != toID {
			t.Errorf("%q was sent to the ID %q, want %q", text, got, toID)
		}
	}
	reply("It is on its way.", lid)
	b := w.signIn(s)
	reportFar(t, s, "inbound", `"id":"2","fromId":%q,"to":%q,"text":%q`, lid, receiver, b.words)
	b.waitState(s.Auth, "ACTIVATED", "number_hidden")
	reportFar(t, s, "change", `"kind":"pair_known","id":"3","from":%q,"fromId":%q,"to":%q`, awa, lid, receiver)
	reportFar(t, s, "inbound", `"id":"4","fromId":%q,"to":%q,"text":%q`, lid, receiver, b.words)
	b.signedIn(s.Auth, awa)
	reportFar(t, s, "inbound", `"id":"5","fromId":%q,"to":%q,"text":"Thank you"`, lid, ours)
	list = w.conversations(s)
	if len(list) != 1 || !list[0].is("+"+awa, lid, "") || list[0].UnreadCount != 2 {
		t.Fatalf("after the number is known, the inbox has %v", list)
	}
	reply("You are welcome.", "")
	if strings.Contains(s.Out.String(), lid) || strings.Contains(s.Out.String(), awa) {
		t.Errorf("the log names the person:\n%s", s.Out)
	}
}
