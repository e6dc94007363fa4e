// Package web has the pages that people see: templates, styles, scripts and
// pictures, all embedded. Nothing is built, nothing is fetched from elsewhere, and
// nothing runs inline, so that [CSP] can forbid it.
//
// [New] parses every page once in every language; [Pages.Serve] answers a request with
// one, and with the data that its type in data.go describes; [Pages.Static] serves the files
// that pages refer to. Both are sent compressed. The sentences are not here but in internal/i18n.
package web
