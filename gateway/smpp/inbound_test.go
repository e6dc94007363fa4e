package smpp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/waittest"
)

// texts waits for n inbound messages, and returns their texts.
func (r *fixture) texts(n int) []string {
	r.t.Helper()
	r.must(r.Sink.Wait(testContext(r.t), func() bool { return len(r.Sink.Messages()) >= n }))
	var list []string
	for _, m := range r.Sink.Messages() {
		list = append(list, m.Text)
	}
	return list
}

// deliverAll delivers messages one after another, each until it is accepted.
func deliverAll(c *smpptest.SMSC, list ...*pdu.Message) {
	for _, m := range list {
		for range c.Deliver(m) {
		}
	}
}

func TestInbound_Codings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		coding   byte
		text     string
		settings settings
		want     string
		dropped  bool
	}{
		{coding: 0, text: "\x05\x1b\x65 [", want: "é€ Ä"},
		{coding: 0, text: "a\tb", want: "aÇb"},
		{coding: 0, text: "\xe9 [", settings: settings{Alphabet: alphabetLatin1Default}, want: "é ["},
		{coding: 0, text: "caf\x05 [", settings: settings{Alphabet: alphabetLatin1Default}, want: "café Ä"},
		{coding: 0, text: "a\tb", settings: settings{Alphabet: alphabetLatin1Default}, want: "a\tb"},
		{coding: 0, text: "caf\xe9 [", want: "café ["}, // no octet of the GSM alphabet has eight bits
		{coding: 0, text: "café ☀", want: "café ☀"},    // UTF-8
		{coding: 1, text: "a@$", want: "a@$"},
		{coding: 1, text: "a@$[", settings: settings{DataCoding1: dataCoding1GSM}, want: "a¡¤Ä"},
		{coding: 1, text: "\xe9@", settings: settings{DataCoding1: dataCoding1GSM}, want: "é@"},
		{coding: 1, text: "Bonjour\r\n", want: "Bonjour\r\n"},
		{coding: 1, text: "Bonjour\x00", want: "Bonjour"}, // a string that ends with a NUL
		{coding: 1, text: "\x00", want: "@"},
		// Message.encode of npm smpp 0.5.1 gives ASCII, 1, to all text in the GSM alphabet (lib/defs.js, encodings.ASCII).
		{coding: 1, text: "caf\x05", want: "café"},
		{coding: 1, text: "awa\x00boutique.example, 5 \x1b\x65", want: "awa@boutique.example, 5 €"},
		{coding: 1, text: "voil\x7f", want: "voilà"},
		{coding: 1, text: "\x09a va", want: "Ça va"},
		{coding: 2, text: "binary", dropped: true},
		{coding: 3, text: "\xe7a", want: "ça"},
		{coding: 3, text: "l\x92\xe9t\xe9 \x80", want: "l’été €"}, // Windows-1252
		{coding: 3, text: "a\tb", want: "a\tb"},
		{coding: 3, text: "caf\x05", want: "café"},
		{coding: 4, text: "binary", dropped: true},
		{coding: 5, text: "\x1b$B$3$s\x1b(B a", want: "こん a"},               // ISO-2022-JP
		{coding: 5, text: "\x82\xb1\x82\xf1", want: "こん"},                   // Shift_JIS
		{coding: 5, text: "\xa4\xb3\xa4\xf3", want: "こん"},                   // EUC-JP
		{coding: 5, text: "OK", want: "OK"},                                 // of all Japanese encodings
		{coding: 0x0d, text: "\x8f\xb0\xa1", want: "丂"},                     // JIS X 0212
		{coding: 6, text: "\xbf\xe0\xd8\xd2\xd5\xe2 OK", want: "Привет OK"}, // ISO 8859-5
		{coding: 7, text: "\xf9\xec\xe5\xed OK", want: "שלום OK"},           // ISO 8859-8
		{coding: 8, text: "\x00\xe7\xd8\x3c\xdf\x1e", want: "ç🌞"},
		{coding: 8, text: "\x00a\x00\x00\x00b", want: "ab"},
		{coding: 8, text: "\xfe\xff\x00a", want: "a"},
		{coding: 8, text: "\xff\xfea\x00", want: "a"},
		{coding: 0x0e, text: "\xbe\xc8", want: "안"},
		{coding: 0x0f, text: "caf\x05", want: "café"},
		{coding: 0x11, text: "\x00", want: "@"},
		{coding: 0x14, text: "binary", dropped: true},
		{coding: 0x18, text: "\x00a", want: "a"},
		{coding: 0x20, text: "compressed", dropped: true},
		{coding: 0x40, text: "caf\x05", want: "café"},
		{coding: 0x44, text: "binary", dropped: true},
		{coding: 0x48, text: "\x00\xe7", want: "ç"},
		{coding: 0x60, text: "compressed", dropped: true},
		{coding: 0x80, text: "caf\x05", want: "café"}, // reserved
		{coding: 0xc0, text: "caf\x05", want: "café"},
		{coding: 0xd0, text: "caf\x05", want: "café"},
		{coding: 0xdb, text: "caf\x05", want: "café"},
		{coding: 0xe0, text: "\x00\xe7", want: "ç"},
		{coding: 0xf1, text: "\x00", want: "@"},
		{coding: 0xf5, text: "binary", dropped: true},
	} {
		if got, ok := tt.settings.decode(tt.coding, segment{bytes: []byte(tt.text)}); ok == tt.dropped || got != tt.want {
			t.Errorf("data_coding %#x: %q is read as %q, %v; want %q", tt.coding, tt.text, got, ok, tt.want)
		}
	}
}

// Text is never lost, and can be stored.
func FuzzDecode(f *testing.F) {
	for _, coding := range []byte{0, 1, 3, 5, 6, 7, 8, 0x0e, 0x48, 0xd0, 0xf0} {
		f.Add(coding, []byte("caf\x05\xe9"), []byte("\x1b$B$3\xff\xfe\x00"), byte(3), byte(0))
	}
	f.Fuzz(func(t *testing.T, coding byte, a, b []byte, locking, single byte) {
		for _, s := range []settings{{}, {Alphabet: alphabetLatin1Default, DataCoding1: dataCoding1GSM}} {
			text, ok := s.decode(coding, segment{a, sms.Tables{Locking: locking, Single: single}}, segment{bytes: b})
			if ok != (charsetOf(coding) != setNone) || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				t.Fatalf("data_coding %#x: %q, %v", coding, text, ok)
			}
			if words, _ := s.decode(coding, segment{bytes: []byte("STOP 1")}); ok && charsetOf(coding) != setUCS2 && words != "STOP 1" {
				t.Fatalf("data_coding %#x: STOP 1 is read as %q", coding, words)
			}
		}
	})
}

// The header names the tables of the text's language. Each part of a longer text has its own.
func TestInbound_NationalTables(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	with := func(coding byte, header, text string) *pdu.Message {
		return &pdu.Message{
			Source: pdu.Address{TON: 1, NPI: 1, Addr: aissata}, Destination: pdu.Address{TON: 1, NPI: 1, Addr: griot},
			ESMClass: pdu.ESMHeader, DataCoding: coding, Short: append([]byte{byte(len(header))}, header+text...),
		}
	}
	deliverAll(
		c,
		with(0, "\x25\x01\x03", "n\x7bo"),
		with(1, "\x25\x01\x03", "n\x7bo"), // as npm smpp 0.5.1 labels it (lib/defs.js, filters.message)
		with(0, "\x24\x01\x02", "d\x1bia"),
		with(0, "\x24\x01\x01\x25\x01\x01", "\x0c \x1bs"),
		with(0, "\x25\x01\x06", "\x39\x40\x60"),
		with(0, "\x00\x03\x07\x02\x01\x25\x01\x03", "n\x7bo\x1b"), // the escape and its character are in two parts
		with(0, "\x25\x01\x03\x00\x03\x07\x02\x02", "\x65"),
		with(0, "\x00\x03\x08\x02\x01\x25\x01\x03", "n\x7bo "),
		with(0, "\x00\x03\x08\x02\x02", "\x7b"),
	)
	want := []string{"não", "não", "día", "ğ ş", "9\u092c\u0950", "não€", "não ä"}
	if got := r.texts(len(want)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is acknowledged and not stored is counted and logged, without its content.
func TestInbound_Dropped(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	binary := smpptest.Text(aissata, griot, "secret")
	binary.DataCoding = 4
	parts := smpptest.Parts(aissata, griot, strings.Repeat("secret ", 30), 1)
	for _, p := range parts {
		p.DataCoding = 0xf5
	}
	acknowledgment := smpptest.Text(aissata, griot, "")
	acknowledgment.ESMClass = 0x10
	nobody := smpptest.Text("", griot, "secret")
	deliverAll(c, append(parts, binary, acknowledgment, nobody)...)
	if got := r.Unhandled(); got[gateway.UnhandledKind] != 3 || got[gateway.UnhandledNoSender] != 1 || len(r.Sink.Messages()) != 0 {
		t.Errorf("counted %v, stored %d", got, len(r.Sink.Messages()))
	}
	if logged := r.Logged(); strings.Count(logged, "an SMPP message was dropped") != 4 || strings.Contains(logged, "secret") || strings.Contains(logged, aissata) {
		t.Errorf("the log has %s", logged)
	}
}

func TestInbound_Addresses(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), map[string]any{"country_code": "223"}))
	from := func(ton byte, addr, text string) *pdu.Message {
		m := smpptest.Text(addr, griot, text)
		m.Source.TON = ton
		return m
	}
	binary := from(1, aissata, "")
	binary.DataCoding = 4
	acknowledgment := from(1, aissata, "")
	acknowledgment.ESMClass = 0x10 // a manual acknowledgment
	short := from(1, aissata, "to a short code")
	short.Destination = pdu.Address{TON: 3, Addr: "36000"}
	deliverAll(c, binary, acknowledgment, from(1, "+"+aissata, "plus"), from(1, "00"+aissata, "prefix"), from(2, "070000001", "national"), short)
	got := r.texts(4)
	if !slices.Equal(got, []string{"plus", "prefix", "national", "to a short code"}) {
		t.Errorf("inbound %q, want the four texts", got)
	}
	for i, m := range r.Sink.Messages() {
		to := griot
		if i == 3 {
			to = "36000"
		}
		if m.From != aissata || m.To != to || m.Channel != gateway.SMS || m.Type != gateway.InboundText || !m.At.Equal(r.Clock.Now()) {
			t.Errorf("%+v", m)
		}
	}
}

func TestInbound_LongTexts(t *testing.T) {
	long := strings.Repeat("Été à Ségou {€}. ", 40)
	sunny := strings.Repeat("☀ Bonjour 🌞. ", 30)
	cutSurrogates := func() []*pdu.Message { // as some phones do
		list := smpptest.Parts(aissata, griot, sunny, 9)
		a, b := list[0], list[1]
		a.Short, b.Short = a.Short[:len(a.Short)-1], append(append([]byte{}, b.Short[:6]...), append(a.Short[len(a.Short)-1:], b.Short[6:]...)...)
		return list
	}
	wide := func() []*pdu.Message {
		list := smpptest.Parts(aissata, griot, long, 0)
		for i, m := range list {
			m.Short = append([]byte{6, 8, 4, 0x12, 0x34, byte(len(list)), byte(i + 1)}, m.Short[6:]...)
		}
		return list
	}
	sar := func() []*pdu.Message {
		list := smpptest.Parts(aissata, griot, long, 0)
		for i, m := range list {
			m.ESMClass, m.Short = 0, m.Short[6:]
			m.TLVs = []pdu.TLV{{Tag: pdu.SARReference, Value: []byte{1, 2}}, {Tag: pdu.SARTotal, Value: []byte{byte(len(list))}}, {Tag: pdu.SARSequence, Value: []byte{byte(i + 1)}}}
		}
		return list
	}
	payload := smpptest.Text(aissata, griot, long)
	payload.TLVs, payload.Short = []pdu.TLV{{Tag: pdu.MessagePayload, Value: payload.Short}}, nil
	ported := smpptest.Text(aissata, griot, "ported")
	ported.ESMClass, ported.Short = pdu.ESMHeader, append([]byte{6, 5, 4, 0x23, 0xf4, 0, 0}, ported.Short...)
	inOrder := smpptest.Parts(aissata, griot, long, 1)
	backwards := slices.Clone(smpptest.Parts(aissata, griot, long, 2))
	slices.Reverse(backwards)
	repeated := smpptest.Parts(aissata, griot, long, 3)
	for name, tt := range map[string]struct {
		deliver []*pdu.Message
		want    []string
	}{
		"in order":              {inOrder, []string{long}},
		"backward":              {backwards, []string{long}},
		"16-bit reference":      {wide(), []string{long}},
		"parameters":            {sar(), []string{long}},
		"payload":               {[]*pdu.Message{payload}, []string{long}},
		"between surrogates":    {cutSurrogates(), []string{sunny}},
		"delivered twice":       {slices.Concat(repeated[:2], repeated, repeated), []string{long}},
		"another header":        {[]*pdu.Message{ported}, []string{"ported"}},
		"the same reference":    {slices.Concat(inOrder, smpptest.Parts(aissata, griot, "Encore. "+long, 1)), []string{long, "Encore. " + long}},
		"of two people at once": {slices.Concat(inOrder[:1], []*pdu.Message{smpptest.Text(moussa, griot, "Entre")}, inOrder[1:]), []string{"Entre", long}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			r := start(t, settingsFor(c.Port(), nil))
			deliverAll(c, tt.deliver...)
			if got := r.texts(len(tt.want)); !slices.Equal(got, tt.want) {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

// A reference that is reused before its text is complete starts a new text. The old one is not lost.
func TestInbound_ReferenceUsedAgain(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	first, second := strings.Repeat("a", 200), strings.Repeat("b", 200)
	deliverAll(c, smpptest.Parts(aissata, griot, first, 1)[0])
	r.Sink.Refuse(1)
	deliverAll(c, smpptest.Parts(aissata, griot, second, 1)...)
	if got, want := r.texts(2), []string{first[:153], second}; !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// After five minutes, and when the process ends, the received parts are the message.
func TestInbound_Incomplete(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	long := strings.Repeat("a", 400)
	parts := smpptest.Parts(aissata, griot, long, 1)
	deliverAll(c, parts[0], parts[2])
	r.Clock.Advance(partsTimeout - time.Second)
	r.inbound.storeIncomplete(t.Context(), r.inbound.parts.due(false))
	if n := len(r.Sink.Messages()); n != 0 {
		t.Fatalf("%d messages before the timeout, want 0", n)
	}
	r.Clock.Advance(time.Second)
	r.Sink.Refuse(1)
	for range 2 { // the sink refuses the first time
		r.inbound.storeIncomplete(t.Context(), r.inbound.parts.due(false))
	}
	if got, want := r.texts(1), []string{long[:153] + long[306:]}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	deliverAll(c, smpptest.Parts(moussa, griot, long, 2)[0])
	r.stop()
	if got := r.texts(2); got[1] != long[:153] {
		t.Errorf("%q, want the incomplete text after Run's end", got)
	}
	r.Clock.Advance(partsTimeout)
	r.inbound.parts.due(false)
	if p := r.inbound.parts; len(p.texts)+p.bytes+len(p.incomplete)+p.storedTexts != 0 {
		t.Errorf("kept after the timeout: %+v", p)
	}
}

// If the sink refuses a message, the center gets a refusal, and the message has the same ID when it is delivered again.
func TestInbound_RefusedBySink(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := open(t, settingsFor(c.Port(), nil))
	sink := &recordingSink{Sink: r.Sink}
	r.sink = sink
	r.run()
	r.Sink.Refuse(2)
	var got []pdu.Status
	for status := range c.Deliver(smpptest.Text(aissata, griot, "Bonjour")) {
		got = append(got, status)
	}
	if want := []pdu.Status{pdu.TemporaryAppError, pdu.TemporaryAppError, pdu.OK}; !slices.Equal(got, want) {
		t.Errorf("answered %v, want %v", got, want)
	}
	deliverAll(c, smpptest.Text(aissata, griot, "Bonjour")) // the same text again is another message
	if ids := sink.ids; len(ids) != 4 || ids[0] != ids[1] || ids[1] != ids[2] || ids[2] == ids[3] || len(r.Sink.Messages()) != 2 {
		t.Errorf("ids %q, %d messages", ids, len(r.Sink.Messages()))
	}
	long := smpptest.Parts(aissata, griot, strings.Repeat("a", 200), 1)
	r.Sink.Refuse(1)
	deliverAll(c, long...)
	if ids := sink.ids; len(ids) != 6 || ids[4] != ids[5] {
		t.Errorf("ids of a long text %q", ids)
	}
}

// recordingSink records the ids of all messages, including refused ones.
type recordingSink struct {
	*gatewaytest.Sink
	mu  sync.Mutex
	ids []string
}

func (s *recordingSink) Inbound(ctx context.Context, in gateway.Inbound) error {
	s.mu.Lock()
	s.ids = append(s.ids, in.ID)
	s.mu.Unlock()
	return s.Sink.Inbound(ctx, in)
}

// The connection ends between storing a message and acknowledging it. The center delivers it again, and it is not stored twice.
func TestInbound_AnswerLost(t *testing.T) {
	t.Parallel()
	body, err := smpptest.Text(aissata, griot, "Bonjour").Body()
	if err != nil {
		t.Fatal(err)
	}
	stored, hungUp, again := make(chan struct{}), make(chan struct{}), make(chan struct{})
	r := open(t, settingsFor(serveScripts(t, func(w *wire) {
		w.acceptBind()
		w.write(pdu.PDU{Command: pdu.DeliverSM, Sequence: 1, Body: body})
		<-stored
		_ = w.Close()
		close(hungUp)
	}, func(w *wire) {
		w.acceptBind()
		for n := range uint32(2) { // first the repetition, then another message with the same text
			w.write(pdu.PDU{Command: pdu.DeliverSM, Sequence: n + 1, Body: body})
			if p := w.expect(pdu.DeliverSM.Response()); p.Status != pdu.OK {
				t.Errorf("answered %v", p.Status)
			}
		}
		close(again)
		w.readToEnd()
	}), nil))
	r.sink = sinkFunc(func(ctx context.Context, in gateway.Inbound) error {
		err := r.Sink.Inbound(ctx, in)
		if len(r.Sink.Messages()) == 1 {
			close(stored)
			<-hungUp
		}
		return err
	})
	r.run()
	waittest.Receive(t, again)
	if got := r.Sink.Messages(); len(got) != 2 || got[0].ID == got[1].ID {
		t.Errorf("%+v, want one for the repeated message, and one for the next", got)
	}
}

// The type of the sender's address decides whether its digits include the country. What isn't an international number is
// stored as it came.
func TestInbound_Senders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		country string
		ton     byte
		addr    string
		want    string
	}{
		{"", tonInternational, aissata, aissata},
		{"", tonUnknown, aissata, aissata},
		{"", tonNetwork, aissata, aissata},
		{"", tonNational, "70000001", "local:70000001"},
		{"", tonNational, aissata, "local:" + aissata},
		{"", tonNational, "+" + aissata, aissata},
		{"", tonSubscriber, "70000001", "local:70000001"},
		{"", tonUnknown, "70000001", "local:70000001"},
		{"", tonUnknown, "070000001", "local:070000001"},
		{"", tonNetwork, "1234", "local:1234"},
		{"", tonAlphanumeric, "ORANGE", "local:ORANGE"},
		{"", tonAlphanumeric, aissata, "local:" + aissata},
		{"223", tonNational, "70000001", aissata},
		{"223", tonNational, aissata, aissata},
		{"223", tonAbbreviated, "70000001", aissata},
		{"223", tonUnknown, "70000001", aissata},
		{"223", tonUnknown, aissata, aissata},
		{"223", tonUnknown, "33612345678", "33612345678"},
		{"223", tonNational, "7000001", "local:7000001"},
		{"223", tonUnknown, "36000", "local:36000"},
		{"225", tonNational, "0701020304", "2250701020304"},
	} {
		c := smpptest.Start(t, smpptest.Options{})
		r := start(t, settingsFor(c.Port(), map[string]any{"country_code": tt.country}))
		one := smpptest.Text(tt.addr, griot, "STOP")
		long := smpptest.Parts(tt.addr, griot, strings.Repeat("Bonjour ", 30), 1)
		for _, m := range append(long, one) {
			m.Source.TON = tt.ton
		}
		deliverAll(c, append(long, one)...)
		r.texts(2)
		for _, m := range r.Sink.Messages() {
			if m.Address() != tt.want || (m.From == "") != strings.HasPrefix(tt.want, "local:") {
				t.Errorf("country %q, TON %d, %s: from %q, local %q, want %s", tt.country, tt.ton, tt.addr, m.From, m.Local, tt.want)
			}
		}
	}
}
