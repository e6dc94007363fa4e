// Package demo is the demo application of `griot dev`. It is written as an
// integrator would write it: it uses the authorization service over HTTP only, and
// shares no code with it.
//
// [App] sends the browser to /authorize with a fresh state and a PKCE challenge,
// and keeps both in a sealed cookie. When the browser comes back, it compares the
// state and the issuer, exchanges the code, and verifies the token's signature and
// claims before it uses them. Codes and tokens are neither shown nor logged. A code
// whose login this browser didn't start is not exchanged, because tests and scripts
// use the same redirect address.
package demo
