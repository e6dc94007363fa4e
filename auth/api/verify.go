package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"
	"unicode/utf8"

	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Limits of a proof (L113 to L116).
const (
	signatureHeader = "X-Gateway-Signature"
	maxDisplayName  = 100 // characters
	maxMessageID    = 256
	maxSkew         = 60 * time.Second
)

type verifyIn struct {
	LoginKeyID      string `json:"loginKeyId"`
	Phone           string `json:"phoneE164"`
	DisplayName     string `json:"displayName"`
	MessageID       string `json:"messageId"`
	Timestamp       *int64 `json:"timestamp"` // Unix milliseconds
	ReceiverPhoneID string `json:"receiverPhoneId"`
	MatchingWords   string `json:"matchingWords"`
}

// verify accepts a proof from a gateway, which signs the raw bytes of the body with
// the secret of the number that received the message (L111 to L122).
func (a *API) verify(w http.ResponseWriter, r *http.Request) error {
	if !httpx.DirectLoopback(r) {
		return apierror.AuthNotLoopback.Err()
	}
	if httpx.ForeignOrigin(r, a.own.URL) {
		return apierror.AuthOriginMismatch.Err()
	}
	body, err := a.http.ReadBody(w, r)
	if err != nil {
		return err
	}
	signers, err := a.signers(r, body)
	if err != nil {
		return err
	}
	if httpx.MediaType(r) != httpx.TypeJSON {
		return apierror.AuthMediaType.Err()
	}
	in := &verifyIn{}
	if err := a.http.DecodeBytes(body, in); err != nil {
		return err
	}
	number, err := a.checkVerify(in)
	if err != nil {
		return err
	}
	if !signers[in.ReceiverPhoneID] {
		return apierror.AuthReceiverMismatch.Err()
	}
	duplicate, err := a.logins.ProveByGateway(r.Context(), login.Proof{
		SessionID: in.LoginKeyID, Phone: number, DisplayName: in.DisplayName, MessageID: in.MessageID,
		Receiver: in.ReceiverPhoneID, Words: in.MatchingWords, Provider: login.WhatsApp, Caller: tenant.CallerOf(r.Context()),
	})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, verifiedOut{Verified: true, Duplicate: duplicate})
}

// signers returns the phone ids whose secret signed the body. Every secret is tried,
// so that the time reveals nothing.
func (a *API) signers(r *http.Request, body []byte) (map[string]bool, error) {
	values := r.Header.Values(signatureHeader)
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil, apierror.AuthSignatureMissing.Err()
	}
	got, err := hex.DecodeString(values[0])
	if err != nil || len(values) > 1 {
		return nil, apierror.AuthSignatureInvalid.Err()
	}
	signers := map[string]bool{}
	for _, receiver := range a.receivers {
		mac := hmac.New(sha256.New, []byte(receiver.Secret))
		mac.Write(body)
		if hmac.Equal(got, mac.Sum(nil)) && receiver.Secret != "" {
			signers[receiver.PhoneID] = true
		}
	}
	if len(signers) == 0 {
		return nil, apierror.AuthSignatureInvalid.Err()
	}
	return signers, nil
}

func (a *API) checkVerify(in *verifyIn) (phone.Number, error) {
	for _, m := range []struct{ name, value string }{
		{"loginKeyId", in.LoginKeyID},
		{"phoneE164", in.Phone},
		{"messageId", in.MessageID},
		{"receiverPhoneId", in.ReceiverPhoneID},
		{"matchingWords", in.MatchingWords},
	} {
		if m.value == "" {
			return "", missing(m.name)
		}
	}
	number, ok := phone.Parse(in.Phone)
	switch {
	case in.Timestamp == nil:
		return "", missing("timestamp")
	case !id.Valid(in.LoginKeyID):
		return "", apierror.AuthMalformed("loginKeyId", anID26)
	case !ok:
		return "", apierror.AuthMalformed("phoneE164", "a number of 8 to 15 digits, with or without a plus")
	case utf8.RuneCountInString(in.DisplayName) > maxDisplayName:
		return "", apierror.AuthMalformed("displayName", "at most 100 characters")
	case utf8.RuneCountInString(in.MessageID) > maxMessageID:
		return "", apierror.AuthMalformed("messageId", "at most 256 characters")
	}
	// Compared as numbers, because a distant timestamp would overflow a duration.
	if now := a.now().UnixMilli(); *in.Timestamp < now-maxSkew.Milliseconds() || *in.Timestamp > now+maxSkew.Milliseconds() {
		return "", apierror.AuthTimestampSkew.Err()
	}
	return number, nil
}
