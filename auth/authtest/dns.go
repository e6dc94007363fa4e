package authtest

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// DNS is a name server on this machine that answers questions for TXT records over UDP. It is safe for concurrent use.
type DNS struct {
	mu     sync.Mutex
	conn   net.PacketConn
	txt    map[string][][]string
	broken bool
	asked  int
}

// NewDNS starts a name server without records. It ends with the test.
func NewDNS(t testing.TB) *DNS {
	t.Helper()
	conn, err := (&net.ListenConfig{}).ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &DNS{conn: conn, txt: map[string][][]string{}}
	done := make(chan struct{})
	go func() { defer close(done); d.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return d
}

// Resolver returns a resolver that asks this server alone.
func (d *DNS) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", d.conn.LocalAddr().String())
	}}
}

// Set replaces the TXT records of a name. Each record has one or more strings. Without records, the name doesn't exist.
func (d *DNS) Set(name string, records ...[]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.txt[strings.ToLower(name)+"."] = records
}

// Break makes the server answer SERVFAIL, or answer again.
func (d *DNS) Break(broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = broken
}

// Asked returns the number of questions so far.
func (d *DNS) Asked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

func (d *DNS) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := d.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var q dnsmessage.Message
		if q.Unpack(buf[:n]) != nil || len(q.Questions) != 1 {
			continue
		}
		if out, err := d.answer(&q); err == nil {
			_, _ = d.conn.WriteTo(out, from)
		}
	}
}

func (d *DNS) answer(q *dnsmessage.Message) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	asked := q.Questions[0]
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: q.ID, Response: true, RecursionAvailable: true}, Questions: q.Questions}
	records, exists := d.txt[strings.ToLower(asked.Name.String())]
	switch {
	case d.broken:
		m.RCode = dnsmessage.RCodeServerFailure
	case !exists || len(records) == 0:
		m.RCode = dnsmessage.RCodeNameError
	case asked.Type == dnsmessage.TypeTXT:
		for _, r := range records {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: asked.Name, Type: asked.Type, Class: asked.Class, TTL: 1}, Body: &dnsmessage.TXTResource{TXT: r},
			})
		}
	}
	return m.Pack()
}
