package hidden_test

import (
	"fmt"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// A virtual phone hides its number, so that its login is held. After the switch for requests is on, the phone gets the
// button, and the login continues with the shared number.
func TestDev_SharesAHiddenNumber(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		p := systemtest.StartDev(t, t.TempDir(), "--database", database)
		phone := p.BaseURL + "/dev/phones/" + awa
		call := func(want int, method, url, body string) {
			t.Helper()
			if r := p.Call(method, url, body); r.Status != want {
				t.Fatalf("%s %s: %d %s, want %d", method, url, r.Status, r.Raw, want)
			}
		}
		write := func(words string) {
			t.Helper()
			call(201, "POST", phone+"/messages", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":%q}`, p.ReceiverPhoneID, words))
		}
		call(200, "PUT", phone+"/privacy", `{"username":"awa.t","hidden":true}`)
		client := p.Clients.LivePublic
		first := signIn(t, p.AuthURL, client.ClientID, client.RedirectURI)
		write(first.words)
		first.waitState(p.AuthURL, "ACTIVATED", "number_hidden")
		call(200, "PUT", p.BaseURL+"/dev/phones-options", `{"askForNumber":true}`)
		write(first.words) // once more, as the page says
		first.waitState(p.AuthURL, "ACTIVATED", "number_requested")
		request := ""
		for _, m := range p.Phone(awa) {
			if m.NumberRequest {
				request = m.ID
			}
		}
		call(201, "POST", phone+"/messages/"+request+"/share", `{}`)
		first.signedIn(p.AuthURL, awa)
		second := signIn(t, p.AuthURL, client.ClientID, client.RedirectURI)
		write(second.words)
		second.signedIn(p.AuthURL, awa)
		p.Stop()
	})
}
