package otp

import (
	"context"
	"encoding/base64"
	"log/slog"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/delivery"
	"griot/messaging/message"
)

// Bounds of document 2 §8.
const (
	MinLength     = 4
	MaxLength     = 8
	DefaultLength = 6
	MinTTL        = 60 * time.Second
	MaxTTL        = 900 * time.Second
	DefaultTTL    = 300 * time.Second
	MaxApp        = 100 // characters

	maxRequests = 3 // of an account for a number in ratePeriod; otp_rates has a column for each
	ratePeriod  = 10 * time.Minute
	maxAttempts = 5
)

// Options are what a Service is made of.
type Options struct {
	DB      *db.DB
	Key     *seal.Key
	Engine  *delivery.Service
	Presets message.Presets
	Now     clock.Now
	Log     *slog.Logger
	Limits  *Limits // guards against pumping; nil: none
	Sandbox bool    // every message is simulated, as the engine does it
}

// Service issues and verifies codes. It is safe for concurrent use.
type Service struct {
	o     Options
	codes []byte // key of the codes' HMACs
	print []byte // key of the requests' fingerprints
}

// New returns a service.
func New(o Options) *Service {
	return &Service{o: o, codes: o.Key.Derive("otp-code"), print: o.Key.Derive("otp-request")}
}

// mac is what the database keeps of a code.
func (s *Service) mac(challengeID, code string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(s.codes, challengeID, code))
}

// simulated reports whether a request reaches no gateway.
func (s *Service) simulated(c *account.Caller, r *Request) bool {
	return s.o.Sandbox || played(c, r.Sandbox)
}

// played reports whether a request asks by itself to be simulated.
func played(c *account.Caller, sandbox bool) bool { return sandbox || c.Kind == account.Test }

// write is a transaction that a caller who goes away does not stop.
func (s *Service) write(ctx context.Context, fn func(*db.Tx) error) error {
	return s.o.DB.Write(context.WithoutCancel(ctx), fn)
}
