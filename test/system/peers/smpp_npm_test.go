package peers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/waittest"
)

// npmScript is a message center that uses npm's smpp. A text's first word selects its
// response. It prints what it receives as lines of JSON, and reads inbound messages in
// the same form. It ends with its standard input, so that it can't outlive the tests.
const npmScript = `
const smpp = require(process.env.SMPP)
const say = o => process.stdout.write(JSON.stringify(o) + '\n')
let n = 0, bound = null
const server = smpp.createServer(session => {
  session.on('error', () => {})
  session.on('close', () => { if (bound === session) bound = null })
  session.on('enquire_link', pdu => session.send(pdu.response()))
  session.on('unbind', pdu => { say({kind: 'unbind'}); session.send(pdu.response()); session.close() })
  session.on('deliver_sm_resp', pdu => say({kind: 'answer', status: pdu.command_status}))
  session.on('bind_transceiver', pdu => {
    const ok = pdu.system_id === process.env.SYSTEM_ID && pdu.password === process.env.PASSWORD
    say({kind: 'bind', ok, version: pdu.interface_version})
    session.send(pdu.response({command_status: ok ? 0 : smpp.ESME_RINVPASWD, system_id: 'npm'}))
    if (ok) bound = session
  })
  session.on('submit_sm', pdu => {
    const message = (pdu.message_payload || pdu.short_message).message
    const verb = String(message).split(' ')[0]
    const number = (++n + 0xabc0).toString(16).toUpperCase()
    const id = verb === 'id' ? String(message).split(' ')[1] + number : number
    say({kind: 'submit', id, from: pdu.source_addr, ton: pdu.source_addr_ton, to: pdu.destination_addr, text: message, coding: pdu.data_coding,
      udh: (pdu.short_message.udh || []).map(b => [...b]), validity: pdu.validity_period ? Math.round((new Date(pdu.validity_period) - Date.now()) / 1000) : 0})
    if (verb === 'throttle') return session.send(pdu.response({command_status: smpp.ESME_RTHROTTLED}))
    if (verb === 'drop') return session.destroy()
    if (verb === 'garbage') { session.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'); return }
    if (verb === 'silence') return
    session.send(pdu.response({message_id: id}))
    if (pdu.registered_delivery) session.deliver_sm({source_addr: pdu.destination_addr, destination_addr: pdu.source_addr, esm_class: 4,
      short_message: 'id:' + (verb === 'id' ? id : parseInt(id, 16)) + ' sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:' + (verb === 'fail' ? 'UNDELIV' : 'DELIVRD') + ' err:000 text:'})
  })
})
server.listen(0, '127.0.0.1', () => say({kind: 'listening', port: server.address().port}))
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const o = JSON.parse(line)
  if (o.hangUp) return bound.destroy()
  if (o.udh) o.short_message = {udh: Buffer.from(o.udh, 'base64'), message: o.text}
  else o.short_message = o.text
  if (o.labeled) o.coding = null // encoded and labeled by the package
  bound.deliver_sm({source_addr_ton: 1, source_addr_npi: 1, source_addr: o.from, destination_addr: o.to, esm_class: o.udh ? 0x40 : 0, data_coding: o.coding, short_message: o.short_message})
}).on('close', () => process.exit(0))
`

// npmCenter is a running npmScript.
type npmCenter struct {
	t     *testing.T
	port  int
	input io.WriteCloser

	mu      sync.Mutex
	changed chan struct{}
	lines   []npmLine
}

type npmLine struct {
	Kind     string
	Port     int
	OK       bool
	Version  byte
	Status   int
	ID       string
	From, To string
	TON      int
	Text     string
	Coding   int
	UDH      [][]byte `json:"-"`
	Validity int
}

// The driver works with another implementation of SMPP.
func TestSMPP_NPM(t *testing.T) {
	c := startNPM(t)
	settings := map[string]any{"ack_id": "hex", "receipt_id": "decimal", "response_timeout": 4}
	t.Run("wrong credentials", func(t *testing.T) {
		r := c.open(t, map[string]any{"password": "balafon"})
		_, err := r.Send(bounded(t), smsTo(aissata, "Bonjour"))
		gatewaytest.WantFailure(t, err, "sender_down credentials_refused 0x0000000e")
	})
	t.Run("send and receipts", func(t *testing.T) {
		r := c.open(t, settings)
		for i, body := range []string{"Ça va, Aïssata ? ☀ 🌞", "Votre code : 123456 {€}", strings.Repeat("Été à Ségou [€]. ", 20), strings.Repeat("Soleil 🌞 ", 30)} {
			out := smsTo(aissata, body)
			out.Ref, out.Sensitive, out.From = fmt.Sprint("msg_", i), true, "GRIOT"
			before := c.count("submit")
			ack, err := r.Send(bounded(t), out)
			r.must(err)
			r.must(r.Sink.Wait(bounded(t), func() bool { return len(r.Sink.Receipts()) == i+1 }))
			_, segments, _ := sms.Measure(body)
			c.wait("submit", before+segments)
			got, whole := c.kind("submit")[before:], ""
			for part, s := range got {
				whole += s.Text
				if s.From != "GRIOT" || s.TON != 5 || s.To != aissata || s.Validity < 290 || s.Validity > 301 {
					t.Errorf("the center received %+v", s)
				}
				if len(got) > 1 && (len(s.UDH) != 1 || s.UDH[0][len(s.UDH[0])-1] != byte(part+1)) {
					t.Errorf("header %v", s.UDH)
				}
			}
			if whole != body {
				t.Errorf("the center received %q, want %q", whole, body)
			}
			receipt := r.Sink.Receipts()[i]
			if receipt.Ref != out.Ref || receipt.ProviderID != ack.ProviderID || receipt.Status != gateway.ReceiptDelivered {
				t.Errorf("acknowledged as %+v, receipt %+v", ack, receipt)
			}
		}
		_, err := r.Send(bounded(t), smsTo(aissata, "fail at the phone"))
		r.must(err)
		r.must(r.Sink.Wait(bounded(t), func() bool { return len(r.Sink.Receipts()) == 5 }))
		if last := r.Sink.Receipts()[4]; last.Status != gateway.ReceiptFailed || last.Err.Code != "undeliverable" || last.Err.ProviderCode != "UNDELIV 000" {
			t.Errorf("receipt %+v", last)
		}
	})
	t.Run("payload", func(t *testing.T) {
		r := c.open(t, map[string]any{"long_messages": "payload"})
		body := strings.Repeat("Été à Ségou. ", 40)
		before := c.count("submit")
		_, err := r.Send(bounded(t), smsTo(aissata, body))
		r.must(err)
		c.wait("submit", before+1)
		if got := c.kind("submit"); got[len(got)-1].Text != body {
			t.Errorf("the center received %q", got[len(got)-1].Text)
		}
	})
	t.Run("inbound", func(t *testing.T) {
		r := c.open(t, nil)
		r.connected()
		r.Sink.Refuse(1)
		before := c.count("answer")
		c.command(map[string]any{"from": aissata, "to": griot, "text": "Ça ira demain", "coding": 8})
		c.wait("answer", before+1)
		if got := c.kind("answer")[before]; got.Status != 0x64 {
			t.Errorf("what the sink refused is answered with %#x", got.Status)
		}
		c.command(map[string]any{"from": aissata, "to": griot, "text": "Ça ira demain", "coding": 8})
		c.command(map[string]any{"from": moussa, "to": griot, "text": "première, ", "coding": 0, "udh": "BQADBwIB"})
		c.command(map[string]any{"from": moussa, "to": griot, "text": "deuxième {€}", "coding": 0, "udh": "BQADBwIC"})
		r.must(r.Sink.Wait(bounded(t), func() bool { return len(r.Sink.Messages()) >= 2 }))
		var got []string
		for _, in := range r.Sink.Messages() {
			got = append(got, in.Text)
		}
		slices.Sort(got)
		if want := []string{"première, deuxième {€}", "Ça ira demain"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("inbound in the package's own codings", func(t *testing.T) {
		r := c.open(t, nil)
		r.connected()
		want := []string{"un café à 5 €, contact@boutique.example [1] ça_va$", "l'été, déjà çà ê", "não", "Привет ☀"}
		for i, text := range want {
			message := map[string]any{"from": aissata, "to": griot, "text": text, "labeled": true}
			if text == "não" {
				message["udh"] = "AyUBAw==" // the locking table of Portuguese
			}
			c.command(message)
			r.must(r.Sink.Wait(bounded(t), func() bool { return len(r.Sink.Messages()) > i }))
			if got := r.Sink.Messages()[i].Text; got != text {
				t.Errorf("%q arrives as %q", text, got)
			}
		}
	})
	t.Run("receipts of IDs that the alphabets write differently", func(t *testing.T) {
		r := c.open(t, nil)
		for i, prefix := range []string{"a_", "a@", "a$", "[a]", "{a}", "~^|\\"} {
			out := smsTo(aissata, "id "+prefix)
			out.Ref = fmt.Sprint("msg_", i)
			ack, err := r.Send(bounded(t), out)
			r.must(err)
			r.must(r.Sink.Wait(bounded(t), func() bool { return len(r.Sink.Receipts()) > i }))
			if got := r.Sink.Receipts()[i]; got.Ref != out.Ref || got.ProviderID != ack.ProviderID || !strings.HasPrefix(ack.ProviderID, prefix) {
				t.Errorf("acknowledged as %+v, receipt %+v", ack, got)
			}
		}
	})
	t.Run("faults", func(t *testing.T) {
		r := c.open(t, settings)
		for body, want := range map[string]string{
			"throttle me": "rate_limited throttled 0x00000058", "drop me": "unknown answer_lost",
			"garbage please": "unknown answer_lost", "silence please": "unknown answer_lost",
		} {
			before := c.count("submit")
			_, err := r.Send(bounded(t), smsTo(aissata, body))
			gatewaytest.WantFailure(t, err, want)
			c.wait("submit", before+1)
			n := 0
			for _, s := range c.kind("submit") {
				if s.Text == body {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%q was received %d times", body, n)
			}
		}
		_, err := r.Send(bounded(t), smsTo(aissata, "Bonjour"))
		r.must(err)
		binds := c.count("bind")
		c.command(map[string]any{"hangUp": true})
		c.wait("bind", binds+1)
		_, err = r.Send(bounded(t), smsTo(aissata, "encore"))
		r.must(err)
	})
	t.Run("shutdown", func(t *testing.T) {
		r := c.open(t, nil)
		r.connected()
		before := c.count("unbind")
		r.stop()
		c.wait("unbind", before+1)
	})
	t.Run("inbound flood", func(t *testing.T) {
		release := make(chan struct{})
		r := c.openWith(t, nil, func(k gateway.Sink) gateway.Sink { return &heldSink{Sink: k, release: release} })
		r.connected()
		before := c.count("answer")
		const flood = 3000
		for n := range flood {
			c.command(map[string]any{"from": fmt.Sprint(22370000000 + n%40), "to": griot, "text": fmt.Sprint("message ", n), "coding": 0})
		}
		const kept = 128 + 8                // waiting messages and those that are being stored (docs/gateways/smpp.md)
		c.wait("answer", before+flood-kept) // queued ones get no response
		close(release)
		c.wait("answer", before+flood)
		if n := len(r.Sink.Messages()); n == 0 || n > kept {
			t.Errorf("%d messages were kept, want at most %d", n, kept)
		}
	})
}

// smppDriver is a running driver with its environment.
type smppDriver struct {
	gateway.Sender
	*gatewaytest.Environment
	t     *testing.T
	bound chan struct{} // closed when the driver is connected for the first time
	stop  func()        // ends Run
}

// open opens and runs the driver until the test ends. more overrides settings.
func (c *npmCenter) open(t *testing.T, more map[string]any) *smppDriver {
	t.Helper()
	return c.openWith(t, more, func(k gateway.Sink) gateway.Sink { return k })
}

// openWith opens the driver like open, with a sink around the environment's.
func (c *npmCenter) openWith(t *testing.T, more map[string]any, around func(gateway.Sink) gateway.Sink) *smppDriver {
	t.Helper()
	r := &smppDriver{Environment: gatewaytest.NewEnvironment(), t: t, bound: make(chan struct{})}
	deps := r.Deps()
	deps.Sink = around(deps.Sink)
	var once sync.Once
	deps.Connected = func(err error) {
		if err == nil {
			once.Do(func() { close(r.bound) })
		}
	}
	var err error
	r.Sender, err = smpp.Open(gatewaytest.Settings(t, map[string]any{
		"host": "127.0.0.1", "port": c.port, "tls": "none", "system_id": smpptest.SystemID, "password": smpptest.Password,
	}, more), deps)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Sender.(gateway.Runner).Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		r.stop()
	})
	return r
}

// connected waits until the driver is connected.
func (r *smppDriver) connected() {
	r.t.Helper()
	waittest.Receive(r.t, r.bound)
}

func (r *smppDriver) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// heldSink is a sink that stores no message until release is closed.
type heldSink struct {
	gateway.Sink
	release <-chan struct{}
}

func (k *heldSink) Inbound(ctx context.Context, in gateway.Inbound) error {
	<-k.release
	return k.Sink.Inbound(ctx, in)
}

func startNPM(t *testing.T) *npmCenter {
	t.Helper()
	program := npmPackage(t, "smpp")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, "node", "-e", npmScript)
	cmd.Env = append(os.Environ(), "SMPP="+program, "SYSTEM_ID="+smpptest.SystemID, "PASSWORD="+smpptest.Password)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("node doesn't start: run make setup (%v)", err)
	}
	c := &npmCenter{t: t, input: input, changed: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			c.receive(lines.Bytes())
		}
	}()
	t.Cleanup(func() {
		_ = input.Close()
		<-done
		cancel()
		_ = cmd.Wait()
	})
	c.wait("listening", 1)
	c.port = c.kind("listening")[0].Port
	return c
}

func (c *npmCenter) receive(raw []byte) {
	var line npmLine
	// A header is an array of numbers, which encoding/json doesn't decode into bytes.
	var header struct{ UDH [][]int }
	_ = json.Unmarshal(raw, &header)
	_ = json.Unmarshal(raw, &line)
	line.UDH = nil
	for _, h := range header.UDH {
		var b []byte
		for _, n := range h {
			b = append(b, byte(n))
		}
		line.UDH = append(line.UDH, b)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *npmCenter) kind(kind string) []npmLine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.lines), func(l npmLine) bool { return l.Kind != kind })
}

func (c *npmCenter) count(kind string) int { return len(c.kind(kind)) }

// wait waits until the center has printed n lines of a kind.
func (c *npmCenter) wait(kind string, n int) {
	c.t.Helper()
	limit := bounded(c.t).Done()
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		if c.count(kind) >= n {
			return
		}
		select {
		case <-changed:
		case <-limit:
			c.t.Fatalf("the center has printed %d lines of %s, want %d", c.count(kind), kind, n)
		}
	}
}

func (c *npmCenter) command(o map[string]any) {
	line, err := json.Marshal(o)
	if err != nil {
		c.t.Fatal(err)
	}
	_, _ = c.input.Write(append(line, '\n'))
}
