// Package login signs people in to an application by a Griot's login service: OAuth 2.0 with PKCE, and a token that is
// checked by the service's keys before anything in it is believed.
//
// A website mounts two handlers:
//
//	c, err := login.New(login.Options{Issuer: "https://login.example.com", ClientID: id, ClientSecret: secret, RedirectURI: "https://shop.example/callback"})
//	http.Handle("GET /login", c.Start())
//	http.Handle("GET /callback", c.Callback(func(w http.ResponseWriter, r *http.Request, who *login.SignedIn) {
//		// Here the application's own session begins: who.Claims.Subject is the person.
//	}, nil))
//
// With [Options.Scopes], each login is one of OpenID Connect, and [SignedIn] has an [IDToken].
//
// What has a browser elsewhere uses [Client.Attempt] and [Client.Complete], and keeps the attempt itself. What the service
// refuses is a [*griot.Error]; what this package refuses, an [*Error]; both are compared by errors.Is with the errors here.
package login
