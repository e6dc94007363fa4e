package web

import "time"

// The pages of the tenants' dashboard. Each but the first is one of templates/app.
const (
	PageTenantSignIn    = "tenant_sign_in"    // TenantSignIn
	PageTenantHome      = "tenant_home"       // TenantHome
	PageTenantClients   = "tenant_clients"    // TenantClients
	PageTenantClient    = "tenant_client"     // TenantClient
	PageTenantNewClient = "tenant_client_new" // TenantNewClient
)

// TenantSignIn asks for a tenant's id and an invitation key.
type TenantSignIn struct {
	Next     string // path to go to then
	TenantID string // as it was given
	Wrong    bool   // what was given opens nothing
}

// TenantHome shows how many logins come how far.
type TenantHome struct {
	Tabs         Tabs
	Empty        *Empty // instead of numbers
	Today, Total []Stat
	Median       Stat
	Chart        Chart
	Incomplete   bool
	Most         int // events of a type that count
}

// TenantClientView is a client as the pages show it.
type TenantClientView struct {
	URL, Name, ClientID        string
	Confidential, Live, Active bool
	Redirects                  []string
	CreatedAt                  time.Time
}

// TenantClients lists a tenant's clients.
type TenantClients struct {
	Clients []TenantClientView
	NewURL  string
	Empty   Empty
}

// TenantClient is the page of one client.
type TenantClient struct {
	TenantClientView
	ClientsURL     string
	Secret         *Code // shown once; nil otherwise
	NameField      Field
	RedirectLines  string // one a line
	WrongRedirects bool
	Snippets       []Code
	TryURL         string // starts a login; empty: the client can't be tried without a message
}

// TenantNewClient asks for what a new client has.
type TenantNewClient struct {
	ClientsURL     string
	Name           Field
	Type, Mode     Select
	Redirects      string
	WrongRedirects bool
}
