// Package dashboard provides the pages on which a tenant's own staff manages its logins: the funnel of logins, the
// clients, the people, the events, the webhook endpoint, and the appearance of the waiting page.
//
// The pages are rendered on the server from the domain packages, and work without scripts. A session is that of POST
// /manage/login, in the same cookie. A page without a session redirects to the sign-in page. Every form must come from
// this service's own origin, and the response is a 303. A value that is shown once after a form, such as a secret, is
// passed to the next page by [httpx.Flash].
package dashboard
