package smtp

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net"
	"testing"
	"time"

	gosmtp "github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"

	"griot/gateway"
	"griot/internal/clock"
)

// sink is a relay that takes everything and keeps nothing.
type sink struct{}

func (sink) NewSession(*gosmtp.Conn) (gosmtp.Session, error) { return sink{}, nil }
func (sink) Reset()                                          {}
func (sink) Logout() error                                   { return nil }
func (sink) Mail(string, *gosmtp.MailOptions) error          { return nil }
func (sink) Rcpt(string, *gosmtp.RcptOptions) error          { return nil }
func (sink) Data(r io.Reader) error                          { _, err := io.Copy(io.Discard, r); return err }

func startSink(b *testing.B) int {
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := gosmtp.NewServer(sink{})
	server.ErrorLog = log.New(io.Discard, "", 0)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	b.Cleanup(func() { _ = server.Close(); <-done })
	return l.Addr().(*net.TCPAddr).Port
}

const benchHTML = "<p>Votre commande a été expédiée.</p>"

// ours is the driver with one connection.
func ours(b *testing.B, port int) (send func() error) {
	raw, err := json.Marshal(map[string]any{"host": "127.0.0.1", "port": port, "tls": "none", "pool": 1})
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(raw, gateway.Deps{Name: "bench", Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	out := letter()
	out.Text, out.HTML, out.DisplayName, out.ExpiresAt = "Votre commande a été expédiée.", benchHTML, "École du Fleuve", time.Now().Add(time.Hour)
	return func() error {
		_, err := s.Send(context.Background(), out)
		return err
	}
}

// theirs is the library alone with one connection: it writes the same messages and sends them.
func theirs(b *testing.B, port int) (send func() error) {
	c, err := gomail.NewClient("127.0.0.1", gomail.WithPort(port), gomail.WithTLSPolicy(gomail.NoTLS), gomail.WithHELO("localhost"))
	if err != nil {
		b.Fatal(err)
	}
	if err := c.DialWithContext(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	out := letter()
	return func() error {
		m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
		if err := m.FromFormat("École du Fleuve", out.From); err != nil {
			return err
		}
		if err := m.To(out.To); err != nil {
			return err
		}
		m.SetMessageID()
		m.SetDate()
		m.Subject(out.Subject)
		m.SetBodyString(gomail.TypeTextPlain, "Votre commande a été expédiée.")
		m.AddAlternativeString(gomail.TypeTextHTML, benchHTML)
		return c.Send(m)
	}
}

// BenchmarkSend compares the driver with the library that it is made of, each over one connection to the same relay.
// They take turns, so that whatever else the machine does slows both.
func BenchmarkSend(b *testing.B) {
	const round = 100
	port := startSink(b)
	sides := []func() error{ours(b, port), theirs(b, port)}
	took := make([]time.Duration, len(sides))
	for _, send := range sides { // the connections are there
		if err := send(); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += round {
		for i := range sides {
			side := (i + done/round) % len(sides)
			began := time.Now()
			for range round {
				if err := sides[side](); err != nil {
					b.Fatal(err)
				}
			}
			took[side] += time.Since(began)
		}
	}
	rounds := (b.N + round - 1) / round
	b.ReportMetric(float64(rounds*round)/took[0].Seconds(), "messages/s")
	b.ReportMetric(float64(rounds*round)/took[1].Seconds(), "library/s")
	b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "ratio")
}

// BenchmarkOurs is the driver's side alone, to be profiled.
func BenchmarkOurs(b *testing.B) { alone(b, ours) }

// BenchmarkTheirs is the library's side alone, to be profiled.
func BenchmarkTheirs(b *testing.B) { alone(b, theirs) }

func alone(b *testing.B, side func(*testing.B, int) func() error) {
	send := side(b, startSink(b))
	b.ReportAllocs()
	for b.Loop() {
		if err := send(); err != nil {
			b.Fatal(err)
		}
	}
}
