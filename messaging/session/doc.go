// Package session says who calls the messaging service: it resolves API keys and the sessions of people who are signed in,
// signs people in and out, and holds the permits that the routes of the JSON API and of the dashboard name.
package session
