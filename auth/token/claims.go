package token

import "time"

// Lifetime is how long a token is valid (L101).
const Lifetime = 900 * time.Second

// Claims are the content of a token (RFC 9068 §2.2, L124). Times are Unix seconds.
type Claims struct {
	Issuer        string   `json:"iss"`
	Subject       string   `json:"sub"` // the profile's id: a different one in each tenant
	Audience      string   `json:"aud"` // the client
	ClientID      string   `json:"client_id"`
	IssuedAt      int64    `json:"iat"`
	NotBefore     int64    `json:"nbf"`
	Expires       int64    `json:"exp"`
	ID            string   `json:"jti"`
	AuthTime      int64    `json:"auth_time"`
	Methods       []string `json:"amr"` // RFC 8176
	TenantID      string   `json:"tenant_id"`
	Mode          string   `json:"mode"`
	Provider      string   `json:"provider"`
	Phone         string   `json:"phone_number"` // with a plus
	PhoneVerified bool     `json:"phone_number_verified"`
	Name          string   `json:"name,omitempty"`
}

// MultiChannel is the authentication method of a login by message: it uses two channels (RFC 8176 §2).
const MultiChannel = "mca"
