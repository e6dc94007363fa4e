package remote

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// StartPairing implements [gateway.Pairer].
func (s *sender) StartPairing(ctx context.Context, channel gateway.Channel, from string, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	body, err := json.Marshal(PairRequest{Channel: channel, From: from, Method: method})
	if err != nil {
		return gateway.PairingProgress{}, &gateway.Error{Class: gateway.Permanent, Code: "request_invalid"}
	}
	return s.pair(ctx, channel, http.MethodPost, "/pair", body)
}

// PairingStatus implements [gateway.Pairer].
func (s *sender) PairingStatus(ctx context.Context, channel gateway.Channel, from string) (gateway.PairingProgress, error) {
	return s.pair(ctx, channel, http.MethodGet, pairTarget(channel, from), nil)
}

// CancelPairing implements [gateway.Pairer].
func (s *sender) CancelPairing(ctx context.Context, channel gateway.Channel, from string) error {
	_, err := s.pair(ctx, channel, http.MethodDelete, pairTarget(channel, from), nil)
	return err
}

func pairTarget(channel gateway.Channel, from string) string {
	return "/pair?channel=" + url.QueryEscape(string(channel)) + "&from=" + url.QueryEscape(from)
}

// pair makes one request about a pairing. These requests submit no message and can be repeated, so no failure is Unknown.
func (s *sender) pair(ctx context.Context, channel gateway.Channel, method, target string, body []byte) (gateway.PairingProgress, error) {
	if !slices.Contains(s.settings.Channels, channel) {
		return gateway.PairingProgress{}, &gateway.Error{Class: gateway.Permanent, Code: "channel_unsupported"}
	}
	if failure := s.ensureInfo(ctx); failure != nil {
		return gateway.PairingProgress{}, failure
	}
	if !s.Info().Pairs {
		return gateway.PairingProgress{}, &gateway.Error{Class: gateway.Permanent, Code: "pairing_unsupported"}
	}
	var progress PairProgress
	answer, failure := s.call(ctx, method, target, body)
	if failure == nil {
		failure = readAnswer(answer, &progress)
	}
	if failure == nil && !progress.valid() {
		failure = &gateway.Error{Class: gateway.Temporary, Code: "answer_invalid"}
	}
	if failure != nil {
		if failure.Class.HandedOver() {
			failure.Class = gateway.Temporary
		}
		return gateway.PairingProgress{}, failure
	}
	return progress.progress(), nil
}

// maxQR is the maximum length of a text in a QR code, in bytes.
const maxQR = 2953

var (
	qrPattern       = regexp.MustCompile(`\A[\x20-\x7e]*\z`)
	pairCodePattern = regexp.MustCompile(`\A([0-9A-Za-z]+(-[0-9A-Za-z]+)*)?\z`)
)

// valid reports whether the gateway's response follows the protocol.
func (p *PairProgress) valid() bool {
	switch p.State {
	case gateway.PairingNone, gateway.PairingStarting, gateway.PairingDone, gateway.PairingFailed:
		return true
	case gateway.PairingWaiting:
		return (p.QR == "") != (p.Code == "") && len(p.QR) <= maxQR && qrPattern.MatchString(p.QR) && len(p.Code) <= 32 && pairCodePattern.MatchString(p.Code)
	}
	return false
}

func (p *PairProgress) progress() gateway.PairingProgress {
	out := gateway.PairingProgress{State: p.State}
	switch {
	case p.State == gateway.PairingWaiting:
		out.QR, out.Code, out.ExpiresAt = p.QR, p.Code, p.ExpiresAt
	case p.State != gateway.PairingFailed:
	case codePattern.MatchString(p.Reason) && !httpcall.HasNumber(p.Reason):
		out.Reason = p.Reason
	default:
		out.Reason = gateway.PairingProvider
	}
	return out
}
