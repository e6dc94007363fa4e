// Package dashboard has the pages at which a tenant's own people look after its logins: how many come how far, its clients, who has signed
// in, its events, the endpoint that they are posted to, and how its waiting page looks.
//
// The pages are rendered on the server from the domain packages, and work without scripts. A session is the one of
// POST /manage/login, in the same cookie. A page without a session leads to the sign-in page; every form is posted from this service's
// own origin and answered by a 303. What a form has made and is shown once, such as a secret, reaches the next page by [httpx.Flash].
package dashboard
