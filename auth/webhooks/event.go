package webhooks

import (
	"encoding/json"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/isotime"
	"example.com/griot/internal/phone"
)

// The types of events.
const (
	LoginVerified  = "login.verified"        // a phone has proved the login; the browser has not come back yet
	LoginCompleted = "login.completed"       // the code was exchanged for a token
	LoginCanceled  = "login.canceled"        // by the person, before that
	LoginConflict  = "login.phone_conflict"  // a second phone sent its words, which ended it
	LoginRevoked   = "login.revoked"         // its token was revoked
	NumberChanged  = "person.number_changed" // WhatsApp has reported that a person has another number
	Ping           = "webhook.ping"          // tests an endpoint
)

// The reasons for revoking a token.
const (
	ByPerson = "canceled_by_user"
	ByReplay = "code_replayed"
	ByClient = "revoked_by_client"

	BySignOut   = "signed_out"      // by the person, in the application
	ByDetaching = "number_detached" // the number now belongs to someone else
	ByMoving    = "number_changed"  // the person has another number now
)

// Detail is the data of an event in addition to its audit event; empty fields are omitted.
type Detail struct {
	Subject string       // of the token
	Phone   phone.Number // in full, if the token has it too, or with NewPhone
	TokenID string       // jti
	Reason  string

	NewPhone phone.Number // of NumberChanged: the number that the person has now, in full
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
	PhoneE164 string      `json:"phone_e164,omitempty"` // without a plus, as in the token's response
	Subject   string      `json:"subject,omitempty"`
	TokenID   string      `json:"tokenId,omitempty"`
	Methods   []string    `json:"amr,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Source    string      `json:"numberSource,omitempty"` // paired or shared

	NewPhoneE164 string `json:"new_phone_e164,omitempty"` // without a plus
}

// Insert stores an event in the transaction of its change and of its audit event. It stores nothing if the tenant no
// longer has an endpoint.
func Insert(tx *db.Tx, typ string, audit *tenant.Event, d Detail) error {
	b := body{
		Event: typ, EventID: id.Event + audit.ID, TenantID: audit.TenantID, ClientID: audit.ClientID, LoginID: audit.LoginID, Mode: audit.Mode,
		Timestamp: isotime.Format(audit.At), PhoneE164: string(d.Phone), Subject: d.Subject, TokenID: d.TokenID, Reason: d.Reason, Source: audit.NumberSource,
		NewPhoneE164: string(d.NewPhone),
	}
	switch {
	case d.NewPhone != "":
	case d.Phone != "":
		b.Methods = []string{token.MultiChannel}
	case audit.Phone != "":
		b.Phone = audit.Phone.Masked()
	}
	return insertBody(tx, &b, audit.At)
}

func insertBody(tx *db.Tx, b *body, at time.Time) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return insertRow(tx, b, string(text), at)
}
