package api

import (
	"strings"

	"example.com/griot/auth/tenant"
)

// clientOut is a Client of the API.
type clientOut struct {
	ID           string      `json:"id"`
	TenantID     string      `json:"tenantId"`
	ClientID     string      `json:"clientId"`
	Type         tenant.Type `json:"type"`
	Mode         tenant.Mode `json:"mode"`
	RedirectURIs []string    `json:"redirectUris"`
	Active       bool        `json:"active"`
}

func newClientOut(c *tenant.Client) clientOut {
	return clientOut{c.ID, c.TenantID, c.ClientID, c.Type, c.Mode, c.RedirectURIs, c.Active}
}

// eventOut is an event of the overview; unknown values are null.
type eventOut struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	At        string  `json:"at"`
	Actor     string  `json:"actor"`
	ClientID  *string `json:"clientId"`
	LoginID   *string `json:"loginId"`
	Mode      *string `json:"mode"`
	Result    string  `json:"result"`
	ErrorCode *string `json:"errorCode"`
	Phone     *string `json:"phone"`
	IP        *string `json:"ip"`
	RequestID *string `json:"requestId"`
	Count     int     `json:"count,omitempty"`   // 0: one event
	FirstAt   string  `json:"firstAt,omitempty"` // empty: one event
	Source    string  `json:"numberSource,omitempty"`
}

func newEventOut(e *tenant.StoredEvent) eventOut {
	known := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	out := eventOut{
		ID: e.ID, Type: e.Type, At: formatTime(e.At), Actor: shownActor(e.Actor), ClientID: known(e.ClientID), LoginID: known(e.LoginID), Mode: known(string(e.Mode)),
		Result: e.Result, ErrorCode: known(e.ErrorCode), Phone: known(e.Phone), IP: known(e.IP), RequestID: known(e.RequestID), Source: e.NumberSource,
	}
	if e.Count > 1 {
		out.Count, out.FirstAt = e.Count, formatTime(e.FirstAt)
	}
	return out
}

// shownActor returns an actor without the name of a gateway, which only the operator knows.
func shownActor(actor string) string {
	if strings.HasPrefix(actor, tenant.ActorGateway) {
		return strings.TrimSuffix(tenant.ActorGateway, ":")
	}
	return actor
}
