package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/safedial"
)

// Class is the reason that an attempt failed. It is shown to the endpoint's owner.
type Class string

// The classes.
const (
	OK             Class = ""
	AddressRefused Class = "address_refused" // by safedial
	NoSuchHost     Class = "no_such_host"
	NoConnection   Class = "no_connection"
	BadTLS         Class = "tls"
	Timeout        Class = "timeout"
	Lost           Class = "connection_lost" // before a response
	Redirect       Class = "redirect"
	Gone           Class = "gone" // 410: the endpoint accepts no more events
	BadStatus      Class = "status"
)

// Failures returns all classes of failed attempts.
func Failures() []string {
	var all []string
	for _, c := range []Class{AddressRefused, NoSuchHost, NoConnection, BadTLS, Timeout, Lost, Redirect, Gone, BadStatus} {
		all = append(all, string(c))
	}
	return all
}

// Result is the result of an attempt.
type Result struct {
	Class      Class
	Status     int // 0: there was no response
	Took       time.Duration
	Answer     string        // the first KiB of the body, as text without U+0000
	RetryAfter time.Duration // zero: the endpoint requested no delay
}

const (
	maxAnswer     = 1 << 10
	maxDrain      = 16 << 10    // of a body, so that the connection can be reused
	answerTimeout = time.Second // for the body, after the status is known
)

// Poster posts events to endpoints. It is safe for concurrent use.
type Poster struct {
	Client  *http.Client
	Now     clock.Now
	Timeout time.Duration
	Agent   string // User-Agent
}

// Request is the content of one attempt.
type Request struct {
	URL, EventID string
	Type         string // the media type of the body
	Body         []byte
	Keys         [][]byte // signing keys; empty: the request is not signed
}

// Post makes one attempt. Regardless of the endpoint's behavior, it takes little more than the timeout and a few KiB.
func (p *Poster) Post(ctx context.Context, d *Request) Result {
	start := p.Now()
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	r := p.post(ctx, cancel, d, start)
	r.Took = max(0, p.Now().Sub(start))
	return r
}

func (p *Poster) post(ctx context.Context, cancel func(), d *Request, at time.Time) Result {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return Result{Class: AddressRefused}
	}
	req.Header["Content-Type"], req.Header["User-Agent"] = []string{d.Type}, []string{p.Agent}
	if len(d.Keys) > 0 {
		Sign(req.Header, d.Keys, d.EventID, at, d.Body)
	}
	res, err := p.Client.Do(req)
	if err != nil {
		return Result{Class: classify(err)}
	}
	defer func() { _ = res.Body.Close() }()
	slow := time.AfterFunc(answerTimeout, cancel)
	defer slow.Stop()
	r := Result{Status: res.StatusCode, Class: classOf(res.StatusCode), Answer: readAnswer(res.Body)}
	if r.Class != OK {
		r.RetryAfter = retryAfter(res.Header.Get("Retry-After"), at)
	}
	return r
}

func classOf(status int) Class {
	switch {
	case status >= 200 && status <= 299:
		return OK
	case status >= 300 && status <= 399:
		return Redirect
	case status == http.StatusGone:
		return Gone
	}
	return BadStatus
}

// readAnswer returns the first KiB of a body, and reads up to [maxDrain] more so that the connection can be reused.
func readAnswer(body io.Reader) string {
	kept, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err == nil && len(kept) == maxAnswer {
		_, _ = io.CopyN(io.Discard, body, maxDrain)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(kept), "\uFFFD"), "\x00", "\uFFFD")
}

func classify(err error) Class {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var invalid x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var verify *tls.CertificateVerificationError
	var op *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, safedial.ErrRefused):
		return AddressRefused
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.As(err, &dns):
		return NoSuchHost
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &invalid), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &verify):
		return BadTLS
	case errors.As(err, &op) && op.Op == "dial":
		return NoConnection
	}
	return Lost
}

// retryAfter parses seconds or a date (RFC 9110 §10.2.3), up to [MaxRetryAfter].
func retryAfter(s string, now time.Time) time.Duration {
	if s == "" {
		return 0
	}
	if n, err := strconv.ParseUint(s, 10, 63); err == nil {
		return time.Duration(min(n, uint64(MaxRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	return min(max(0, at.Sub(now)), MaxRetryAfter)
}
