package system_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/config"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
)

// griot dev --with-whatsapp starts this program with a matching configuration. A number is linked through Griot while
// both run, people write to it and sign in to the demo application with it, another number is linked with the gateway
// protocol, and kill -9 of Griot ends both.
func TestGriotDev(t *testing.T) {
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for number, lid := range map[string]string{shop: "900001", receiver: "900002", awa: "100001"} {
		s.AddUser(number, lid)
	}
	d, business := devWithWhatsApp(t, s)
	dev, dir, key := d.griot, d.dir, business.key()
	senderState := func() string {
		r, err := call(t, "GET", d.api+"/api/senders", "", key)
		if err != nil {
			return err.Error()
		}
		var list struct {
			Senders []struct{ Address, State string }
		}
		_ = json.Unmarshal([]byte(r.raw), &list)
		for _, sender := range list.Senders {
			if strings.TrimPrefix(sender.Address, "+") == shop {
				return strings.ToLower(sender.State)
			}
		}
		return r.raw
	}
	becomes := func(want string) {
		t.Helper()
		eventually(t, "the sender", func() string {
			if got := senderState(); got != want {
				return fmt.Sprintf("it is %s, want %s\n%s\n%s", got, want, dev.out, linkedLog(dir))
			}
			return ""
		})
	}

	becomes("pairing")
	qr := d.pairSender(business.sender(), shop)
	becomes("connected")
	phone := phonetest.New(t, s, awa)
	phone.Send(t, shop, "Avez-vous du mil ?")
	d.inInbox(key, "Avez-vous du mil ?")
	d.signInToDemo(phone)

	g := startedGateway(t, dir)
	code := g.pair(receiver, "code")
	if err := s.EnterCode(code.Code, receiver); err != nil {
		t.Fatal(err)
	}
	g.becomes(receiver, protocol.PairDone)
	eventually(t, "the second number", func() string {
		if n := s.Online(receiver); n != 1 {
			return fmt.Sprintf("it has %d connections, want one\n%s", n, linkedLog(dir))
		}
		return ""
	})
	for what, secret := range map[string]string{"the QR code": qr, "the code": code.Code, "the key": g.key.Secret, "what was written": "du mil"} {
		if strings.Contains(dev.out.String()+linkedLog(dir), secret) {
			t.Errorf("%s is in a log", what)
		}
	}

	dev.kill()
	eventually(t, "the end of griot-whatsapp", func() string {
		if n := s.Online(shop) + s.Online(receiver); n != 0 {
			return fmt.Sprintf("the numbers have %d connections, want none\n%s", n, linkedLog(dir))
		}
		return ""
	})
}

// demoBusiness is the demo business of griot dev.
type demoBusiness struct {
	ID, LiveKey string
	Senders     []struct{ ID string }
}

// sender is the ID of the linked number's sender.
func (b *demoBusiness) sender() string { return b.Senders[len(b.Senders)-1].ID }

// key is the header with the key.
func (b *demoBusiness) key() string { return "X-API-Key: " + b.LiveKey }

// devWithWhatsApp starts griot dev with the shop's number.
func devWithWhatsApp(t *testing.T, s *fakewhatsapp.Server) (*deployment, *demoBusiness) {
	t.Helper()
	root := fakewhatsapp.Root()
	dir := t.TempDir()
	env := []string{"PATH=" + filepath.Dir(linked) + ":" + os.Getenv("PATH"), "GRIOT_WHATSAPP_FAKE=" + s.Addr + "," + hex.EncodeToString(root[:])}
	const free = "127.0.0.1:0"
	dev := start(t, dir, env, griot, "dev", "--data", dir, "--showcase=false", "--phones", "memory", "--with-whatsapp="+shop,
		"--whatsapp-listen", free, "--api-listen", free, "--auth-listen", free, "--internal-listen", free)
	var state struct {
		BaseURL, AuthURL string
		Accounts         struct{ Business demoBusiness }
	}
	eventually(t, "griot dev", func() string {
		raw, err := os.ReadFile(filepath.Join(dir, "dev.json"))
		if err != nil || json.Unmarshal(raw, &state) != nil {
			return fmt.Sprintf("%v\n%s", err, dev.out)
		}
		return ""
	})
	return &deployment{t: t, whatsApp: s, dir: dir, api: state.BaseURL, auth: state.AuthURL, griot: dev, linked: dev}, &state.Accounts.Business
}

// signInToDemo signs in a person to the demo application, like a browser, with a message from their phone.
func (d *deployment) signInToDemo(phone *phonetest.Phone) {
	d.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	open := func(address string) (page, at string) {
		r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			d.t.Fatal(err)
		}
		answer, err := browser.Do(r)
		if err != nil {
			d.t.Fatal(err)
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			d.t.Fatalf("%s: %d, %v: %s", answer.Request.URL, answer.StatusCode, err, raw)
		}
		return string(raw), answer.Request.URL.String()
	}
	const liveClient = "/dev/demo/start/0"
	_, waiting := open(d.api + liveClient)
	at, err := url.Parse(waiting)
	if err != nil {
		d.t.Fatal(err)
	}
	var login struct{ Status, MatchingWords, RedirectURL string }
	poll := func() {
		raw, _ := open(d.auth + "/authorize/status?loginKeyId=" + at.Query().Get("loginKeyId"))
		if err := json.Unmarshal([]byte(raw), &login); err != nil {
			d.t.Fatal(err)
		}
	}
	poll()
	phone.Send(d.t, shop, login.MatchingWords)
	eventually(d.t, "the login", func() string {
		if poll(); login.Status != "VERIFIED" {
			return fmt.Sprintf("got %s, want VERIFIED\n%s\n%s", login.Status, d.griot.out, linkedLog(d.dir))
		}
		return ""
	})
	if page, _ := open(login.RedirectURL); !strings.Contains(page, awa) {
		d.t.Errorf("the demo application does not show %s: %s", awa, page)
	}
}

// pairSender links a sender's number with griot admin, and returns the scanned QR code.
func (d *deployment) pairSender(id, number string) (qr string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, griot, "admin", "senders", "pair", id, "--data", d.dir, "--json")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	var p protocol.PairProgress
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			d.t.Error(err)
		}
		if p.QR != "" && qr == "" {
			qr = p.QR
			if err := d.whatsApp.ScanQR(qr, number); err != nil {
				d.t.Error(err)
			}
		}
	}
	if err := c.Wait(); err != nil || p.State != protocol.PairDone {
		d.t.Fatalf("pairing %s ended with %s %s, %v: %s, want paired", number, p.State, p.Reason, err, errs.String())
	}
	return qr
}

// linkedLog returns the log of griot-whatsapp in dev's directory.
func linkedLog(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, "whatsapp", "griot-whatsapp.log"))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// runningGateway is a griot-whatsapp that the test calls like Griot.
type runningGateway struct {
	t       *testing.T
	address string
	key     protocol.Key
}

func startedGateway(t *testing.T, dir string) *runningGateway {
	t.Helper()
	c, err := config.Load(filepath.Join(dir, "whatsapp", "griot-whatsapp.yaml"), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	keys, err := c.Signing()
	if err != nil {
		t.Fatal(err)
	}
	return &runningGateway{t: t, address: "http://" + c.Listen, key: keys[0]}
}

// ask sends a signed request about a pairing and returns its progress.
func (g *runningGateway) ask(method, target, body string) (p protocol.PairProgress) {
	g.t.Helper()
	r, err := http.NewRequestWithContext(g.t.Context(), method, g.address+target, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	g.key.Sign(r, target, []byte(body), time.Now())
	answer, err := noRedirects.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&p); err != nil || answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
		g.t.Fatalf("%s /pair: %d, %v, %v, want 200 that is not stored", method, answer.StatusCode, answer.Header, err)
	}
	return p
}

// pair starts a pairing and returns its code.
func (g *runningGateway) pair(number, method string) protocol.PairProgress {
	g.t.Helper()
	g.ask("POST", "/pair", fmt.Sprintf(`{"channel":"whatsapp","from":%q,"method":%q}`, number, method))
	return g.becomes(number, protocol.PairWaiting)
}

func (g *runningGateway) becomes(number, want string) (p protocol.PairProgress) {
	g.t.Helper()
	eventually(g.t, "the pairing", func() string {
		if p = g.ask("GET", "/pair?channel=whatsapp&from="+number, ""); p.State != want {
			return fmt.Sprintf("it is %s %s, want %s", p.State, p.Reason, want)
		}
		return ""
	})
	return p
}
