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

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
)

// discardRelay is a relay that accepts and drops everything.
type discardRelay struct{}

func (discardRelay) NewSession(*gosmtp.Conn) (gosmtp.Session, error) { return discardRelay{}, nil }
func (discardRelay) Reset()                                          {}
func (discardRelay) Logout() error                                   { return nil }
func (discardRelay) Mail(string, *gosmtp.MailOptions) error          { return nil }
func (discardRelay) Rcpt(string, *gosmtp.RcptOptions) error          { return nil }
func (discardRelay) Data(r io.Reader) error                          { _, err := io.Copy(io.Discard, r); return err }

func startDiscardRelay(b *testing.B) int {
	l, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := gosmtp.NewServer(discardRelay{})
	server.ErrorLog = log.New(io.Discard, "", 0)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(l) }()
	b.Cleanup(func() { _ = server.Close(); <-done })
	return l.Addr().(*net.TCPAddr).Port
}

const benchHTML = "<p>Votre commande a été expédiée.</p>"

// driverSide sends with the driver, over one connection.
func driverSide(b *testing.B, port int) (send func() error) {
	raw, err := json.Marshal(map[string]any{"host": "127.0.0.1", "port": port, "tls": "none", "pool": 1})
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(raw, gateway.Deps{Name: "bench", Now: clock.System, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	out := message()
	out.Text, out.HTML, out.DisplayName, out.ExpiresAt = "Votre commande a été expédiée.", benchHTML, "École du Fleuve", time.Now().Add(time.Hour)
	return func() error {
		_, err := s.Send(context.Background(), out)
		return err
	}
}

// librarySide composes and sends the same messages with the library alone, over one connection.
func librarySide(b *testing.B, port int) (send func() error) {
	c, err := gomail.NewClient("127.0.0.1", gomail.WithPort(port), gomail.WithTLSPolicy(gomail.NoTLS), gomail.WithHELO("localhost"))
	if err != nil {
		b.Fatal(err)
	}
	if err := c.DialWithContext(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	out := message()
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

// BenchmarkSend compares the driver with the library that it uses, each over one connection to the same relay. They take
// turns, so that other load on the machine slows both.
func BenchmarkSend(b *testing.B) {
	const round = 100
	port := startDiscardRelay(b)
	sides := []func() error{driverSide(b, port), librarySide(b, port)}
	took := make([]time.Duration, len(sides))
	for _, send := range sides { // opens the connections
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

// BenchmarkDriver is the driver's side alone, for profiling.
func BenchmarkDriver(b *testing.B) { benchSide(b, driverSide) }

// BenchmarkLibrary is the library's side alone, for profiling.
func BenchmarkLibrary(b *testing.B) { benchSide(b, librarySide) }

func benchSide(b *testing.B, side func(*testing.B, int) func() error) {
	send := side(b, startDiscardRelay(b))
	b.ReportAllocs()
	for b.Loop() {
		if err := send(); err != nil {
			b.Fatal(err)
		}
	}
}
