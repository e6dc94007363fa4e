package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
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
	demoReceiver = "22370000099" // receives the words of logins
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

// demoContacts returns the numbers that phones can write to: the login's, if it is a virtual one, and the accounts'.
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

// devHandler serves the messaging API, and the parts that only dev has below /dev/: the
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
	mux.HandleFunc("POST "+devWebhook, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	app, err := demo.New(demo.Options{AuthURL: s.AuthURL, BaseURL: s.BaseURL, Pages: pages, Clients: demoClients(s), Now: clock.System})
	if err != nil {
		return nil, err
	}
	app.Mount(mux)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		web.Secure(w.Header(), r.URL.Path)
		_ = httpx.SeeOther(w, "/dev/demo")
	})
	mux.Handle("/", a.api())
	own, err := httpx.ParseOwn(s.BaseURL)
	if err != nil {
		return nil, err
	}
	// The phones' page can only make changes from its own origin, so a browser that used localhost is redirected to it.
	isPage := func(path string) bool {
		return path == "/" || path == "/dev/phones" || path == "/dev/components" || httpx.Below(path, "/dashboard") || strings.HasPrefix(path, "/dev/demo")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !own.RedirectPage(w, r, isPage, web.Secure) {
			mux.ServeHTTP(w, r)
		}
	}), nil
}

func demoClients(s *devfile.State) []demo.Client {
	return []demo.Client{
		{Name: livePublicName, ClientID: s.Clients.LivePublic.ClientID, RedirectURI: s.Clients.LivePublic.RedirectURI, Mode: "LIVE", Type: "PUBLIC"},
		{Name: testPublicName, ClientID: s.Clients.TestPublic.ClientID, RedirectURI: s.Clients.TestPublic.RedirectURI, Mode: "TEST", Type: "PUBLIC"},
		{
			Name: testConfidentialName, ClientID: s.Clients.TestConfidential.ClientID, ClientSecret: s.Clients.TestConfidential.ClientSecret,
			RedirectURI: s.Clients.TestConfidential.RedirectURI, Mode: "TEST", Type: "CONFIDENTIAL",
		},
	}
}

// banner writes the first screen: the first two things to do, the places of everything else, and who signs in there. It
// shows no key, because dev.env and dev.json have them. program is the command that started the process.
func banner(w io.Writer, s *devfile.State, program, data string, beyond []string, notes string) error {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "  %-17s %s\n", name, value) }
	fmt.Fprintf(&b, "\nGriot is running. Press Ctrl-C to stop it. Your data stays in %s.\n\n", data)
	if len(beyond) > 0 {
		fmt.Fprintf(&b, "  *** WARNING: Griot listens beyond this machine (%s). Everyone who can reach it can\n  *** read the phones, sign in as anyone, and send as the demo accounts. Use it only on a network that you trust.\n\n", strings.Join(beyond, ", "))
	}
	line("Sign someone in", "Open "+s.BaseURL+"/dev/demo")
	line("Send a message", "Run these commands in another terminal, in this directory:")
	fmt.Fprintf(&b, "\n    . %s\n    curl $GRIOT_API_URL/api/send -H \"Authorization: Bearer $GRIOT_API_KEY\" -H 'Content-Type: application/json' \\\n"+
		"      -d '{\"channel\":\"whatsapp\",\"to\":\"+22376000001\",\"message\":\"Bonjour Awa !\"}'\n\n", shellWord(filepath.Join(data, devfile.EnvName)))
	line("Virtual phones", s.BaseURL+"/dev/phones")
	line("Accounts", s.BaseURL+"/dashboard as "+cmp.Or(s.Accounts.Showcase.Email, s.Accounts.Business.Email))
	line("Tenants", s.AuthURL+"/dashboard with an ID and a key from "+filepath.Join(data, devfile.Name))
	line("Operator pages", program+" admin open --data "+shellWord(data))
	line("Documentation", s.BaseURL+"/docs")
	if notes != "" {
		b.WriteString("\n" + notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// programName returns the command that started this process in a form that a person can type again. The file of go run
// is deleted when the process ends.
func programName(arg string) string {
	if strings.Contains(arg, string(filepath.Separator)+"go-build") {
		return "go run ./cmd/griot"
	}
	return shellWord(arg)
}

// shellWord quotes a word for a POSIX shell if necessary.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("-_./+:@%", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
