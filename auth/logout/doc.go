// Package logout tells applications that sign-ins have ended (OpenID Connect Back-Channel Logout 1.0).
//
// An ended sign-in is stored in the transaction that ends it, for a client that has an address for logout tokens: the client, the
// person (sub), the login (sid), and an id (jti). internal/webhook delivers it, with its retries and its checks of addresses. Each
// attempt signs a new logout token, because one is valid for two minutes. A sign-in gets one, whatever ends it, and only while
// its login is stored, for a day.
package logout
