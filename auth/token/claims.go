package token

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"example.com/griot/auth/tenant"
)

// Lifetime is the lifetime of a token (L101).
const Lifetime = 900 * time.Second

// Claims are the content of an access token (RFC 9068 §2.2, L124). Times are Unix seconds.
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
	Scope         string   `json:"scope,omitempty"` // of a login by OpenID Connect
}

// IDClaims are the content of an ID token (OpenID Connect Core 1.0 §2, §3.1.3.6). Times are Unix seconds.
type IDClaims struct {
	Issuer          string   `json:"iss"`
	Subject         string   `json:"sub"` // the profile's id: a different one in each tenant and mode
	Audience        string   `json:"aud"` // the client
	IssuedAt        int64    `json:"iat"`
	Expires         int64    `json:"exp"`
	AuthTime        int64    `json:"auth_time"`
	Nonce           string   `json:"nonce,omitempty"`
	AccessTokenHash string   `json:"at_hash"` // see [AccessTokenHash]
	Methods         []string `json:"amr"`     // RFC 8176
	LoginID         string   `json:"sid"`     // names the login, for sign-out; derived from the login's id, without revealing it
	TenantID        string   `json:"tenant_id"`
	Mode            string   `json:"mode"`
	Phone           string   `json:"phone_number,omitempty"` // with a plus
	PhoneVerified   bool     `json:"phone_number_verified,omitempty"`
	Name            string   `json:"name,omitempty"`
	tenant.Identity          // of a client that has settings for it
}

// LogoutLifetime is the lifetime of a logout token.
const LogoutLifetime = 120 * time.Second

// LogoutClaims are the content of a logout token (OpenID Connect Back-Channel Logout 1.0 §2.4). Times are Unix seconds.
type LogoutClaims struct {
	Issuer   string              `json:"iss"`
	Subject  string              `json:"sub"`
	Audience string              `json:"aud"` // the client
	IssuedAt int64               `json:"iat"`
	Expires  int64               `json:"exp"`
	ID       string              `json:"jti"` // the same for each attempt to deliver it
	Events   map[string]struct{} `json:"events"`
	LoginID  string              `json:"sid,omitempty"` // see [IDClaims]; empty: every login of the person has ended
}

// BackchannelLogout is the field in a token's events that marks it as a logout token.
const BackchannelLogout = "http://schemas.openid.net/event/backchannel-logout"

// AccessTokenHash returns the first half of the hash of an access token. An ID token contains it to
// identify the access token.
func AccessTokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

// MultiChannel is the authentication method of a login by message: because it uses two channels (RFC 8176 §2).
const MultiChannel = "mca"
