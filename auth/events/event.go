package events

import (
	"encoding/json"
	"time"

	"griot/auth/tenant"
	"griot/auth/token"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/phone"
)

// Types of events.
const (
	LoginVerified  = "login.verified"       // a phone has proved the login; the browser is about to come back
	LoginCompleted = "login.completed"      // the code was exchanged for a token
	LoginCanceled  = "login.canceled"       // the person took it back before that
	LoginConflict  = "login.phone_conflict" // a second phone sent its words, which ended it
	LoginRevoked   = "login.revoked"        // its token was revoked
	Ping           = "webhook.ping"         // tells of nothing, to try an endpoint
)

// Reasons for which a token was revoked.
const (
	ByPerson = "canceled_by_user"
	ByReplay = "code_replayed"
	ByClient = "revoked_by_client"
)

// Detail is what an event says beside its audit event; what is empty is left out.
type Detail struct {
	Subject string       // of the token
	Phone   phone.Number // in full: for what the token says too
	TokenID string       // jti
	Reason  string
}

type body struct {
	Event     string      `json:"event"`
	EventID   string      `json:"eventId"`
	TenantID  string      `json:"tenantId"`
	ClientID  string      `json:"clientId,omitempty"`
	LoginID   string      `json:"loginKeyId,omitempty"`
	Mode      tenant.Mode `json:"mode,omitempty"`
	Timestamp string      `json:"timestamp"`
	Phone     string      `json:"phone,omitempty"`      // +223*****001
	PhoneE164 string      `json:"phone_e164,omitempty"` // without a plus, as in the token's answer
	Subject   string      `json:"subject,omitempty"`
	TokenID   string      `json:"tokenId,omitempty"`
	Methods   []string    `json:"amr,omitempty"`
	Reason    string      `json:"reason,omitempty"`
}

// timeFormat: ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Insert stores an event beside its change, and beside the audit event that records
// it. Nothing is stored for a tenant that has no endpoint (any more).
func Insert(tx *db.Tx, typ string, of *tenant.Event, d Detail) error {
	b := body{
		Event: typ, EventID: id.Event + of.ID, TenantID: of.TenantID, ClientID: of.ClientID, LoginID: of.LoginID, Mode: of.Mode,
		Timestamp: of.At.UTC().Format(timeFormat), PhoneE164: string(d.Phone), Subject: d.Subject, TokenID: d.TokenID, Reason: d.Reason,
	}
	switch {
	case d.Phone != "":
		b.Methods = []string{token.MultiChannel}
	case of.Phone != "":
		b.Phone = of.Phone.Masked()
	}
	return insert(tx, &b, of.At)
}

func insert(tx *db.Tx, b *body, at time.Time) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return insertEvent(tx, b, string(text), at)
}
