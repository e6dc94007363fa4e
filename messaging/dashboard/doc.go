// Package dashboard contains the messaging service's pages for people: sign-in, an account's overview, sending, logs,
// one-time codes, and plans.
//
// A page consists of a file in this package and a template in web/templates/app with the name in its constant. Its
// route is in [Dashboard.Routes], its roles are in permit of messaging/api, and its place in the navigation is in
// nav.go. Handlers call the domain packages in process. Functions that pages share with the JSON API, which are
// sign-in, sessions, and roles, belong to the API (messaging/api/pages_access.go).
//
// Package web explains how pages are composed of components.
package dashboard
