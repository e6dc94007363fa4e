package cloudapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

// Limits of Meta's calls, which have at most 3 MB; in bytes.
const (
	maxBody = 3 << 20
	maxHeld = 64 << 20
)

// WebhookHandler implements [gateway.WebhookReceiver]. GET handles Meta's verification, and POST handles statuses and messages.
func (s *sender) WebhookHandler() http.Handler {
	webhook := &httpcall.Webhook{MaxBody: maxBody, MaxHeld: maxHeld, Handle: func(r *http.Request, body []byte) int {
		if !s.signed(r.Header.Get("X-Hub-Signature-256"), body) {
			s.log.Warn("webhook refused: its signature is not that of app_secret")
			return http.StatusForbidden
		}
		return s.process(r.Context(), body)
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.challenge(w, r)
			return
		}
		webhook.ServeHTTP(w, r)
	})
}

// challenge responds to Meta's verification with its challenge if the verify token is correct.
func (s *sender) challenge(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	known := s.settings.VerifyToken != "" && subtle.ConstantTimeCompare([]byte(q.Get("hub.verify_token")), []byte(s.settings.VerifyToken)) == 1
	word := regexp.MustCompile(`\A[0-9A-Za-z_.-]{1,256}\z`).FindString(q.Get("hub.challenge"))
	if !known || q.Get("hub.mode") != "subscribe" || word == "" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, word) //nolint:gosec // a word without markup, as plain text, sent only to a caller that knows the verify token
}

// signed reports whether a header is "sha256=" and the body's HMAC with the app secret.
func (s *sender) signed(header string, body []byte) bool {
	given, err := hex.DecodeString(strings.TrimPrefix(header, "sha256="))
	if err != nil || !strings.HasPrefix(header, "sha256=") || s.settings.AppSecret == "" {
		return false
	}
	mac := hmac.New(sha256.New, []byte(s.settings.AppSecret))
	mac.Write(body)
	return hmac.Equal(given, mac.Sum(nil))
}

// process passes the content of a call to the sink. Meta repeats calls for days until the response is 200.
func (s *sender) process(ctx context.Context, body []byte) int {
	updates, unreadable, ok := s.settings.readUpdates(body)
	if !ok {
		s.log.Error("a signed webhook can't be read", "bytes", len(body))
		return http.StatusBadRequest
	}
	s.drop("webhook", gateway.UnhandledUnreadable, unreadable)
	for i := range updates {
		if err := s.handle(ctx, &updates[i]); err != nil {
			s.log.Error("a report of Meta was not stored", "field", httpcall.ProviderCode(updates[i].field), "err", err)
			return http.StatusInternalServerError
		}
	}
	return http.StatusOK
}
