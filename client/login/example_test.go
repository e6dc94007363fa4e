package login_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"example.com/griot/client/login"
)

func Example() {
	c, err := login.New(login.Options{Issuer: "https://login.example.com", ClientID: "cl_live_...", ClientSecret: "...", RedirectURI: "https://shop.example/callback"})
	if err != nil {
		fmt.Println(err)
		return
	}
	site := http.NewServeMux()
	site.Handle("GET /login", c.Start())
	site.Handle("GET /callback", c.Callback(func(w http.ResponseWriter, r *http.Request, who *login.SignedIn) {
		// Create the application's own session here. who.Claims.Subject identifies the person.
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}, nil))
}

func ExampleClient_Attempt() {
	c, err := login.New(login.Options{Issuer: "https://login.example.com", ClientID: "cl_live_...", RedirectURI: "https://shop.example/callback"})
	if err != nil {
		fmt.Println(err)
		return
	}
	attempt := c.Attempt(login.StartOptions{UILocales: "fr en"}) // store it for this browser
	to, err := url.Parse(attempt.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(to.Host, to.Path, to.Query().Get("code_challenge_method"), to.Query().Get("ui_locales"))
	// Output: login.example.com /authorize S256 fr en
}

// Before a payment, the person of the session signs in again.
func ExampleClient_Redirect() {
	c, err := login.New(login.Options{
		Issuer: "https://login.example.com", ClientID: "cl_live_...", ClientSecret: "...", RedirectURI: "https://shop.example/callback",
		Scopes: []string{login.ScopeOpenID},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	session := &login.IDToken{Subject: "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", Raw: "..."} // SignedIn.IDToken of the first login
	site := http.NewServeMux()
	site.HandleFunc("GET /pay", func(w http.ResponseWriter, r *http.Request) {
		c.Redirect(w, r, login.StartOptions{IDTokenHint: session.Raw})
	})
	site.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		who, err := c.Finish(w, r)
		if err != nil || who.Claims.Subject != session.Subject { // login.ErrLoginRequired: another person has signed in
			http.Error(w, "Please confirm the payment with your own phone.", http.StatusForbidden)
			return
		}
		fmt.Fprintln(w, "Paid.")
	})
}

func ExampleClient_Complete() {
	c, err := login.New(login.Options{Issuer: "https://login.example.com", ClientID: "cl_live_...", RedirectURI: "https://shop.example/callback"})
	if err != nil {
		fmt.Println(err)
		return
	}
	attempt := c.Attempt(login.StartOptions{})
	// The query of the redirect if no one has sent the words.
	returned := url.Values{"error": {"access_denied"}, "error_description": {"The login has expired."}, "state": {attempt.State}, "iss": {"https://login.example.com"}}
	_, err = c.Complete(context.Background(), returned, attempt)
	if errors.Is(err, login.ErrAccessDenied) {
		fmt.Println("start again:", err)
	}
	// Output: start again: login: access_denied: The login has expired.
}
