// Package dashboard is the messaging service's pages for people: signing in, an account's overview, sending, logs, one-time codes, plans.
//
// A page is a file here and one of web/templates/app with the name that its constant has; its line is in
// [Dashboard.Routes], which roles it is for in permit of messaging/api, and its place in the navigation in nav.go. Handlers
// call the domain packages in process. What pages share with the JSON surface, which is signing in, sessions, and roles, is
// that surface's own (messaging/api/pages_access.go).
//
// How a page is made of components is in package web.
package dashboard
