// Package logout notifies applications of ended sign-ins (OpenID Connect Back-Channel Logout 1.0).
//
// An ended sign-in is stored in the transaction that ends it, for a client that has an address for logout tokens: the
// client, the person (sub), the login (sid), and an id (jti). internal/webhook delivers it, with its retries and its
// checks of addresses. Each attempt signs a new logout token, because a token is valid for only two minutes. Every
// ended sign-in gets a logout token, regardless of the cause, but only while its login is stored, for a day.
package logout
