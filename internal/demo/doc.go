// Package demo is the application that `griot dev` signs people in to. It is
// written as an integrator would write it: it knows the authorization service by
// its address and over HTTP only, and it shares no code with it.
//
// [App] sends the browser to /authorize with a fresh state and a PKCE challenge,
// and keeps both in a sealed cookie. When the browser comes back, it compares the
// state and the issuer, exchanges the code, and verifies the token's signature
// and claims before it believes a word of it. Codes and tokens are neither shown
// nor logged. A code whose login this browser didn't start is left alone: tests
// and scripts use the same redirect address.
package demo
