package hidden_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
)

// A person whose number WhatsApp hides signs in: the words hold the login, Griot asks for the number once, and the
// shared number proves it. The next logins of this person are proved at once, also after a restart, until the operator withdraws the pair.
func TestLogin_AsksOnceAndRemembers(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		first := w.signIn(s)
		writes(t, s, receiverID, "wamid.in1", awaID, first.words)
		first.waitState(s.Auth, "ACTIVATED", "number_requested")
		writes(t, s, receiverID, "wamid.in1", awaID, first.words) // repeated by Meta
		writes(t, s, receiverID, "wamid.in2", awaID, first.words) // and by the person
		if p := w.meta.waitFor(t, 1); p.From != receiverID || p.Recipient != awaID || p.To != "" || p.Interactive.Type != "request_contact_info" {
			t.Errorf("asked with %+v", p)
		}
		shares(t, s, receiverID, "wamid.in3", binID, "22376000002") // nobody has asked this person
		first.waitState(s.Auth, "ACTIVATED", "number_requested")
		shares(t, s, receiverID, "wamid.in4", awaID, awa)
		first.signedIn(s.Auth, awa)
		second := w.signIn(s)
		writes(t, s, receiverID, "wamid.in5", awaID, second.words)
		second.waitState(s.Auth, "VERIFIED", "")
		s.End(t)
		s = s.Restart(t)
		second.signedIn(s.Auth, awa)
		third := w.signIn(s)
		writes(t, s, receiverID, "wamid.in6", awaID, third.words)
		third.signedIn(s.Auth, awa)
		if all := w.meta.sent(); len(all) != 1 {
			t.Errorf("Meta got %+v, want one request", all)
		}
		s.Must(t, "", "admin", "people", "ids", "withdraw", "sahel~"+awaID+"~"+awa)
		fourth := w.signIn(s)
		writes(t, s, receiverID, "wamid.in7", awaID, fourth.words)
		fourth.waitState(s.Auth, "ACTIVATED", "number_hidden") // less than a minute after the first request
		if all := w.conversations(s); len(all) != 0 {
			t.Errorf("the account's inbox has messages to the number for logins: %v", all)
		}
	})
}

// One node gets the words, another one the shared number, and the page of the person polls a third one.
func TestLogin_ThreeNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.PostgresURL(t))
	one, two, three := w.start(), w.start(), w.start()
	first := w.signIn(two)
	first.waitState(two.Auth, "ACTIVATED", "")
	writes(t, one, receiverID, "wamid.in1", awaID, first.words)
	first.waitState(two.Auth, "ACTIVATED", "number_requested")
	shares(t, three, receiverID, "wamid.in2", awaID, awa)
	first.signedIn(two.Auth, awa)
	second := w.signIn(two)
	writes(t, one, receiverID, "wamid.in3", awaID, second.words) // another node has learned the pair
	second.signedIn(two.Auth, awa)
	if all := w.meta.sent(); len(all) != 1 {
		t.Errorf("Meta got %+v, want one request", all)
	}
}

// A person whose number was known when a database was saved signs in after it is restored. One whose number was learned
// later is asked again.
func TestLogin_KnowsThePairsOfABackup(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		known := func(id, number string) {
			t.Helper()
			webhook(t, s, "messages", oursID, fmt.Sprintf(`"contacts":[{"wa_id":%q,"user_id":%q}],"messages":[{"from":%q,"from_user_id":%q,"id":"wamid.%s","timestamp":"%d","type":"text","text":{"body":"Bonjour"}}]`,
				number, id, number, id, id, now()))
		}
		known(awaID, awa)
		saved := filepath.Join(t.TempDir(), "saved")
		isFile := strings.HasPrefix(database, "sqlite:")
		if isFile {
			s.Must(t, "", "backup", saved)
		} else {
			dbtest.Copy(t, database, saved)
		}
		known(binID, "22376000002")
		s.End(t)
		if isFile {
			w.database = "sqlite:" + filepath.Join(t.TempDir(), "restored.db")
			s.Must(t, w.database, "restore", saved)
		} else {
			w.database = dbtest.Restored(t, saved)
			s.Must(t, w.database, "restore", "--mark")
		}
		s = w.start()
		first, second := w.signIn(s), w.signIn(s)
		writes(t, s, receiverID, "wamid.in1", awaID, first.words)
		first.signedIn(s.Auth, awa)
		writes(t, s, receiverID, "wamid.in2", binID, second.words)
		second.waitState(s.Auth, "ACTIVATED", "number_requested")
	})
}
