// Package access identifies the callers of the messaging service. It resolves API keys and session cookies, signs people
// in and out, and defines the permits that the routes of the JSON API and the dashboard name.
package access
