package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/griot/cmd/griot/demo"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

const (
	devGateway   = "virtual"
	demoReceiver = "22370000099" // people send the words of a login to it
	demoEmail    = "bonjour@griot.example"
	demoNumber   = "22370000001" // the business account's WhatsApp numbers
	demoNumber2  = "22370000002"
)

func demoGroups() []virtual.Group {
	return []virtual.Group{{
		ID: "120363000000000001@g.us", Name: "Livraisons", Members: []string{"22376000001", "22376000002"},
		Senders: []string{demoNumber, demoNumber2}, Admins: []string{demoNumber},
	}}
}

func demoPhones() []virtual.Contact {
	return []virtual.Contact{
		{Channel: gateway.WhatsApp, Address: "22376000001", Name: "Awa"},
		{Channel: gateway.WhatsApp, Address: "22376000002", Name: "Moussa"},
		{Channel: gateway.Email, Address: "awa@example.com", Name: "Awa"},
	}
}

// demoContacts are the numbers that phones may write to: the login's, where it is a virtual one, then the accounts'.
func demoContacts(ctx context.Context, d *db.DB, login bool) (out []virtual.Contact, err error) {
	if login {
		out = append(out, virtual.Contact{Channel: gateway.WhatsApp, Address: demoReceiver, Name: "Griot login"})
	}
	senders, err := account.AllSenders(d.Read(ctx))
	for _, s := range senders {
		if s.Channel != gateway.Email && s.Gateway == devGateway {
			out = append(out, virtual.Contact{Channel: s.Channel, Address: s.Address, Name: s.AccountName})
		}
	}
	return out, err
}

// devHandler serves the messaging API, and under /dev/ what only dev has: the
// virtual phones and the demo application.
func devHandler(a *app, phones *virtual.Gateway, s *devfile.State) (http.Handler, error) {
	pages := a.pages
	mux := http.NewServeMux()
	phones.Mount(mux)
	mux.HandleFunc("GET /dev/phones", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		if err := pages.Serve(w, r, http.StatusOK, web.PagePhones, nil); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /dev/components", func(w http.ResponseWriter, r *http.Request) {
		shell, examples := web.ComponentExamples(clock.System())
		if err := pages.ServeApp(w, r, http.StatusOK, web.PageComponents, shell, examples); err != nil {
			http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		}
	})
	app, err := demo.New(demo.Options{AuthURL: s.AuthURL, BaseURL: s.BaseURL, Pages: pages, Clients: demoClients(s), Now: clock.System})
	if err != nil {
		return nil, err
	}
	app.Mount(mux)
	mux.Handle("GET /{$}", http.RedirectHandler("/dev/demo", http.StatusSeeOther))
	mux.Handle("/", a.api())
	own, err := httpx.ParseOwn(s.BaseURL)
	if err != nil {
		return nil, err
	}
	// The phones' page may change things from its own origin only, so a browser that came by localhost goes there.
	isPage := func(path string) bool {
		return path == "/" || path == "/dev/phones" || path == "/dev/components" || httpx.Below(path, "/dashboard") || strings.HasPrefix(path, "/dev/demo")
	}
	return own.RedirectPages(isPage, mux), nil
}

func demoClients(s *devfile.State) []demo.Client {
	return []demo.Client{
		{Name: "Boutique", ClientID: s.Clients.LivePublic.ClientID, RedirectURI: s.Clients.LivePublic.RedirectURI, Mode: "LIVE", Type: "PUBLIC"},
		{Name: "Boutique, essai", ClientID: s.Clients.TestPublic.ClientID, RedirectURI: s.Clients.TestPublic.RedirectURI, Mode: "TEST", Type: "PUBLIC"},
		{
			Name: "Caisse, essai", ClientID: s.Clients.TestConfidential.ClientID, ClientSecret: s.Clients.TestConfidential.ClientSecret,
			RedirectURI: s.Clients.TestConfidential.RedirectURI, Mode: "TEST", Type: "CONFIDENTIAL",
		},
	}
}

func banner(w io.Writer, s *devfile.State, data string, beyond []string, notes string) error {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "  %-18s %s\n", name, value) }
	fmt.Fprintf(&b, "\nGriot %s is running. Everything is in %s; Ctrl-C stops it.\n\n", version, data)
	if len(beyond) > 0 {
		fmt.Fprintf(&b, "  *** WARNING: it listens beyond this machine (%s). Whoever reaches it can read the\n  *** phones, sign in as anyone and send as the demo accounts. Do so on a network that you trust only.\n\n", strings.Join(beyond, ", "))
	}
	line("Sign in", s.BaseURL+"/dev/demo")
	line("Virtual phones", s.BaseURL+"/dev/phones")
	line("Messaging API", s.BaseURL+"/api/send")
	line("Login service", s.AuthURL+"/.well-known/oauth-authorization-server")
	line("Documentation", s.BaseURL+"/docs")
	line("Interfaces", s.BaseURL+"/openapi.yaml  "+s.AuthURL+"/openapi.yaml")
	line("Keys and clients", data+"/"+devfile.Name)
	line("Operator's pages", "griot admin open --data "+data+"  (prints a link)")
	fmt.Fprintf(&b, "\nSend a message, and see it on Awa's phone:\n\n  curl %s/api/send -H 'Authorization: Bearer %s' \\\n    -H 'Content-Type: application/json' \\\n    -d '{\"channel\":\"whatsapp\",\"to\":\"+22376000001\",\"message\":\"Bonjour Awa !\"}'\n\n",
		s.BaseURL, s.Accounts.Business.LiveKey)
	b.WriteString(notes)
	_, err := io.WriteString(w, b.String())
	return err
}
