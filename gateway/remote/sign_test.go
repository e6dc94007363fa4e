package remote

import (
	"errors"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
)

// The test vectors of docs/gateway-protocol.md, whose signatures were computed by another program.
func TestSign_Vectors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/gateway-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([A-Z]+)` \\| `([^`]+)` \\| `([0-9]+)` \\| `(k[0-9])` \\| (?:`([^`]*)`)? ?\\| `([0-9a-f]{64})` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) != 6 || !strings.Contains(string(page), "`"+testSecret+"`") {
		t.Fatalf("found %d vectors", len(rows))
	}
	for _, row := range rows {
		method, target, id, body, want := row[1], row[2], row[4], strings.ReplaceAll(row[5], `\n`, "\n"), row[6]
		unix, err := strconv.ParseInt(row[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		key, at, header := Key{ID: id, Secret: testSecret}, time.Unix(unix, 999), http.Header{}
		key.Sign(header, method, target, []byte(body), at)
		if got := header.Get(HeaderSignature); got != want {
			t.Errorf("%s %s: %s, want %s", method, target, got, want)
		}
		if err := Check([]Key{{ID: "k0", Secret: "other"}, key}, header, method, target, []byte(body), at); err != nil {
			t.Errorf("%s %s: %v", method, target, err)
		}
	}
}

// The events of the test vectors are accepted.
func TestSign_VectorEventsAreAccepted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/gateway-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	s, _, env := opened(t, map[string]any{"channels": []string{"whatsapp", "sms"}})
	bodies := regexp.MustCompile("(?m)^\\| `POST` \\| `/events` .* \\| `({.*})(?:\\\\n)?` \\|").FindAllStringSubmatch(string(page), -1)
	for _, b := range bodies {
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(b[1]), env.Clock.Now())); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", b[1], got)
		}
	}
	if in := env.Sink.Messages(); len(bodies) != 2 || len(in) != 1 || in[0].Choice.ID != "oui" || in[0].ReplyTo.Ref == "" {
		t.Errorf("%d events, and the sink got %+v; want two, and the choice", len(bodies), in)
	}
}

func TestCheck_Refuses(t *testing.T) {
	t.Parallel()
	at := time.Unix(1763640000, 0)
	body := []byte(`{"type":"receipt"}`)
	good := func() http.Header {
		h := http.Header{}
		testKey().Sign(h, http.MethodPost, "/events", body, at)
		return h
	}
	set := func(name string, values ...string) func(h http.Header) {
		return func(h http.Header) { h[http.CanonicalHeaderKey(name)] = values }
	}
	signature := good().Get(HeaderSignature)
	for name, tt := range map[string]struct {
		change func(h http.Header)
		method string
		target string
		body   []byte
		now    time.Time
		want   error
	}{
		"nothing changed":           {},
		"at the end of the window":  {now: at.Add(Window)},
		"at its beginning":          {now: at.Add(-Window)},
		"after the window":          {now: at.Add(Window + time.Second), want: ErrStale},
		"before it":                 {now: at.Add(-Window - time.Second), want: ErrStale},
		"no signature":              {change: set(HeaderSignature), want: ErrUnsigned},
		"two signatures":            {change: set(HeaderSignature, signature, signature), want: ErrUnsigned},
		"a short signature":         {change: set(HeaderSignature, signature[:63]), want: ErrUnsigned},
		"a signature in capitals":   {change: set(HeaderSignature, strings.ToUpper(signature)), want: ErrUnsigned},
		"another signature":         {change: set(HeaderSignature, strings.Repeat("0", 64)), want: ErrSignature},
		"no time":                   {change: set(HeaderTimestamp), want: ErrUnsigned},
		"two times":                 {change: set(HeaderTimestamp, "1763640000", "1763640000"), want: ErrUnsigned},
		"a time with a sign":        {change: set(HeaderTimestamp, "+1763640000"), want: ErrUnsigned},
		"a time with a zero before": {change: set(HeaderTimestamp, "01763640000"), want: ErrUnsigned},
		"another time":              {change: set(HeaderTimestamp, "1763640001"), want: ErrSignature},
		"a time that overflows":     {change: set(HeaderTimestamp, "9999999999999999999"), want: ErrUnsigned},
		"no key":                    {change: set(HeaderKey), want: ErrKey},
		"another key":               {change: set(HeaderKey, "k2"), want: ErrKey},
		"another body":              {body: []byte(`{"type":"inbound"}`), want: ErrSignature},
		"a longer body":             {body: append([]byte(nil), append(body, '\n')...), want: ErrSignature},
		"no body":                   {body: []byte{}, want: ErrSignature},
		"another target":            {target: "/events?x=1", want: ErrSignature},
		"another method":            {method: http.MethodPut, want: ErrSignature},
	} {
		header, method, target, given, now := good(), http.MethodPost, "/events", body, at
		if tt.change != nil {
			tt.change(header)
		}
		if tt.method != "" {
			method = tt.method
		}
		if tt.target != "" {
			target = tt.target
		}
		if tt.body != nil {
			given = tt.body
		}
		if !tt.now.IsZero() {
			now = tt.now
		}
		if err := Check([]Key{testKey()}, header, method, target, given, now); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("k1", "1763640000", strings.Repeat("a", 64), []byte("{}"))
	f.Add("", "-1", "", []byte(nil))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		h := http.Header{HeaderKey: {id}, HeaderTimestamp: {timestamp}, HeaderSignature: {signature}}
		err := Check([]Key{testKey()}, h, http.MethodPost, "/events", body, time.Unix(1763640000, 0))
		if err == nil {
			t.Fatal("a forged signature is accepted")
		}
	})
}
