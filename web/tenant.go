package web

import "time"

// The pages of the tenants' dashboard. Each but the first is one of templates/app.
const (
	PageTenantSignIn    = "tenant_sign_in"    // TenantSignIn
	PageTenantHome      = "tenant_home"       // TenantHome
	PageTenantEvents    = "tenant_events"     // TenantEvents
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
	Clients      []TenantClientSteps
	Incomplete   bool
	Most         int // events of a type that count
}

// TenantClientSteps is how far the logins of one client came.
type TenantClientSteps struct {
	Name, URL string // the URL is empty for a client that was deleted
	Steps     []Stat
}

// TenantEvents lists events, or those of one login, which is then a timeline too.
type TenantEvents struct {
	URL      string
	Type     Select
	Login    string // as it was asked for
	Filtered bool
	Steps    []Step // oldest first
	Logins   []TenantLogin
	Pages    Pagination
}

// TenantLogin is a login with its events on the page, or one event without a login, whose ID and URL are empty.
type TenantLogin struct {
	ID, URL, Client, ClientURL, Mode string
	Events                           []TenantEvent
}

// TenantEvent is a line of the list; what is not known is empty.
type TenantEvent struct {
	Count                     int       // how many events it stands for
	At                        time.Time // of the latest of them
	Span                      string    // the times of the first and the latest of several
	Type, LoginURL, Phone, IP string
	Client, ClientURL         string // on the page of a person
	Result                    Badge
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
	StaleRedirects string // see [StaleText]
	Version        string // of the name and the addresses: see package stale
	Snippets       []Code
	Open           bool   // a TEST client, by which anybody signs in at an address that others reach
	TryURL         string // starts a login; empty: the client can't be tried without a message
	Connect        TenantConnect
}

// TenantConnect is a client's form for the sign-out of OpenID Connect.
type TenantConnect struct {
	URL            string
	Version        string // see package stale
	RedirectLines  string // one a line
	WrongRedirects bool
	StaleRedirects string // see [StaleText]
	LogoutURI      Field
	State          *Badge // of deliveries to the saved address; nil: there is none
	Problem        *Alert // with them; nil: none
}

// TenantNewClient asks for what a new client has.
type TenantNewClient struct {
	ID             string // of the form: it makes one client, however often it is sent
	ClientsURL     string
	Name           Field
	Type, Mode     Select
	Redirects      string
	WrongRedirects bool
}
