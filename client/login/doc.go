// Package login signs people in to an application with Griot's login service. It uses OAuth 2.0 with PKCE, and it
// verifies each token with the service's keys before it returns any part of it.
//
// A website mounts two handlers:
//
//	c, err := login.New(login.Options{Issuer: "https://login.example.com", ClientID: id, ClientSecret: secret, RedirectURI: "https://shop.example/callback"})
//	http.Handle("GET /login", c.Start())
//	http.Handle("GET /callback", c.Callback(func(w http.ResponseWriter, r *http.Request, who *login.SignedIn) {
//		// Create the application's own session here. who.Claims.Subject identifies the person.
//	}, nil))
//
// With [Options.Scopes], logins use OpenID Connect, and [SignedIn] has an [IDToken].
//
// An application that opens the browser in another way calls [Client.Attempt] and [Client.Complete], and stores the
// attempt itself. If the service refuses a request, the error is a [*griot.Error]. If this package refuses a response
// or a token, the error is an [*Error]. Use errors.Is to compare both with the error codes of this package.
package login
