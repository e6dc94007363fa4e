package otp

import (
	"context"
	"encoding/base64"
	"log/slog"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/metrics"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/delivery"
	"griot/messaging/message"
)

// Bounds of requests and challenges.
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

// Options configure a [Service].
type Options struct {
	DB      *db.DB
	Key     *seal.Key
	Engine  *delivery.Service
	Presets message.Presets
	Now     clock.Now
	Log     *slog.Logger
	Limits  *Limits        // guards against pumping; nil: none
	Sandbox bool           // every message is simulated
	Metrics *metrics.Codes // counts codes; nil: nobody does
}

// Service issues and verifies codes. It is safe for concurrent use.
type Service struct {
	o              Options
	codeKey        []byte // key of the codes' HMACs
	fingerprintKey []byte // key of the requests' fingerprints
}

// New returns a service.
func New(o Options) *Service {
	return &Service{o: o, codeKey: o.Key.Derive("otp-code"), fingerprintKey: o.Key.Derive("otp-request")}
}

// mac returns the MAC of a code, which is stored instead of it.
func (s *Service) mac(challengeID, code string) string {
	return base64.RawURLEncoding.EncodeToString(seal.MAC(s.codeKey, challengeID, code))
}

// simulated reports whether a request reaches no gateway.
func (s *Service) simulated(c *account.Caller, r *Request) bool {
	return s.o.Sandbox || sandboxRequested(c, r.Sandbox)
}

// sandboxRequested reports whether a request is simulated by its own sandbox member or its test key.
func sandboxRequested(c *account.Caller, sandbox bool) bool { return sandbox || c.Kind == account.Test }

// write runs a transaction that the end of ctx does not stop.
func (s *Service) write(ctx context.Context, fn func(*db.Tx) error) error {
	return s.o.DB.Write(context.WithoutCancel(ctx), fn)
}
