package otp

import (
	"context"
	"encoding/base64"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// Limits of requests and challenges.
const (
	MinLength     = 4
	MaxLength     = 8
	DefaultLength = 6
	MinTTL        = 60 * time.Second
	MaxTTL        = 900 * time.Second
	DefaultTTL    = 300 * time.Second
	MaxApp        = 100 // in characters

	maxRequests = 3 // by an account for a number in ratePeriod (M98); otp_rates has a column for each
	ratePeriod  = 10 * time.Minute
	maxAttempts = 5 // M109
)

// Options configure a [Service].
type Options struct {
	DB       *db.DB
	Key      *seal.Key
	Delivery *delivery.Service
	Presets  message.Presets
	Now      clock.Now
	Log      *slog.Logger
	Limits   *Limits        // limits against SMS pumping; nil: none
	Sandbox  bool           // all messages are simulated
	Metrics  *metrics.Codes // counts codes; nil: no metrics
}

// A Service issues and verifies codes. It is safe for concurrent use.
type Service struct {
	o            Options
	codes        *seal.Secret // for the codes' HMACs
	fingerprints *seal.Secret // for the requests' fingerprints
	sweptKeys    *message.SweptKeys
}

// New returns a service.
func New(o Options) *Service {
	return &Service{o: o, codes: o.Key.Secret("otp-code"), fingerprints: o.Key.Secret("otp-request"), sweptKeys: message.NewSweptKeys(o.Key)}
}

// mac returns the MAC of a code, which is stored instead of it.
func (s *Service) mac(challengeID, code string) string {
	return encodeMAC(s.codes.MAC(challengeID, code))
}

func encodeMAC(mac []byte) string { return base64.RawURLEncoding.EncodeToString(mac) }

// macs returns the MACs of a code with the current master key and with the previous one, if there is one.
func (s *Service) macs(challengeID, code string) (both [2]string) {
	all := s.codes.MACs(challengeID, code)
	return [2]string{encodeMAC(all[0]), encodeMAC(all[len(all)-1])}
}

// simulated reports whether a request must not reach a gateway.
func (s *Service) simulated(c *account.Caller, r *Request) bool {
	return s.o.Sandbox || sandboxRequested(c, r.Sandbox)
}

// sandboxRequested reports whether a request is simulated because of its field sandbox or its test key.
func sandboxRequested(c *account.Caller, sandbox bool) bool { return sandbox || c.Kind == account.Test }

// write runs a transaction that the end of ctx does not cancel.
func (s *Service) write(ctx context.Context, fn func(*db.Tx) error) error {
	return s.o.DB.Write(context.WithoutCancel(ctx), fn)
}
