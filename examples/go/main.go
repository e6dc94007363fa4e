// A site that people sign in to by a message, with net/http and Griot's client.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"example.com/griot/client/login"
	"example.com/griot/client/webhook"
)

func main() {
	redirect := os.Getenv("GRIOT_REDIRECT_URI")
	here, err := url.Parse(redirect)
	if err != nil {
		log.Fatal(err)
	}
	griot, err := login.New(login.Options{
		Issuer: os.Getenv("GRIOT_AUTH_URL"), ClientID: os.Getenv("GRIOT_CLIENT_ID"), ClientSecret: os.Getenv("GRIOT_CLIENT_SECRET"), RedirectURI: redirect,
	})
	if err != nil {
		log.Fatal(err)
	}
	events, err := webhook.New(webhook.Options{}, os.Getenv("GRIOT_WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	s := &site{secure: here.Scheme == "https"}
	http.HandleFunc("GET /{$}", s.home)
	http.Handle("GET /login", griot.Start())
	http.Handle("GET "+here.Path, griot.Callback(s.signIn, s.notSignedIn))
	http.HandleFunc("POST /logout", s.signOut)
	// An event of the messaging API: store it, answer, and work afterward.
	http.Handle("POST /webhook", events.Handler(func(_ context.Context, e *webhook.Event) error {
		log.Println("webhook", e.Type, e.ID) // drop an id that you have had
		return nil
	}))
	server := &http.Server{Addr: here.Host, ReadHeaderTimeout: 10 * time.Second}
	fmt.Printf("open %s://%s\n", here.Scheme, here.Host)
	log.Fatal(server.ListenAndServe())
}

// site remembers who has signed in; yours does so in a database.
type site struct {
	secure   bool
	sessions sync.Map // from the value of a cookie to *login.Claims
}

const cookieName = "session"

// signIn begins a session of the site's own. who.Claims.Subject is the key of your accounts: a number may change hands.
func (s *site) signIn(w http.ResponseWriter, r *http.Request, who *login.SignedIn) {
	id := rand.Text()
	s.sessions.Store(id, who.Claims)
	s.setCookie(w, id, 0)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *site) notSignedIn(w http.ResponseWriter, _ *http.Request, err error) {
	log.Print(err)
	w.WriteHeader(http.StatusBadRequest)
	show(w, page{Failed: true})
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		s.sessions.Delete(cookie.Value)
	}
	s.setCookie(w, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *site) home(w http.ResponseWriter, r *http.Request) {
	var p page
	if cookie, err := r.Cookie(cookieName); err == nil {
		kept, _ := s.sessions.Load(cookie.Value)
		if claims, ok := kept.(*login.Claims); ok {
			p.Phone = claims.Phone
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	show(w, p)
}

func (s *site) setCookie(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure})
}

type page struct {
	Phone  string // of who has signed in
	Failed bool
}

func (page) Griot() string { return os.Getenv("GRIOT_AUTH_URL") }

func show(w http.ResponseWriter, p page) {
	if err := layout.Execute(w, p); err != nil {
		log.Print(err)
	}
}

var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Boutique</title>
<link rel="icon" href="data:,">
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit }</style>
<link rel="stylesheet" href="{{.Griot}}/button.css"><script src="{{.Griot}}/button.js" async></script>
</head>
<body><main><h1>Boutique</h1>
{{if .Failed}}<p>The login was not completed.</p><p><a href="/">Start again</a></p>
{{else if .Phone}}<p>Signed in with {{.Phone}}.</p><form method="post" action="/logout"><button>Sign out</button></form>
{{else}}<p>Your telephone number is your account.</p><p><a class="griot-button" href="/login"></a></p>{{end}}
</main></body>
</html>
`))
