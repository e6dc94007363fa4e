package web

import "time"

// The pages of the tenants' dashboard. Each except the first is one of templates/app.
const (
	PageTenantSignIn    = "tenant_sign_in"    // TenantSignIn
	PageTenantHome      = "tenant_home"       // TenantHome
	PageTenantEvents    = "tenant_events"     // TenantEvents
	PageTenantClients   = "tenant_clients"    // TenantClients
	PageTenantClient    = "tenant_client"     // TenantClient
	PageTenantNewClient = "tenant_client_new" // TenantNewClient
)

// TenantSignIn is the form for a tenant's id and an invitation key.
type TenantSignIn struct {
	Next     string // path of the page after it
	TenantID string // as it was submitted
	Wrong    bool   // the given values are invalid
	Accounts string // the accounts' dashboard; empty: unknown
}

// TenantHome shows the number of logins that reached each step.
type TenantHome struct {
	Tabs         Tabs
	Empty        *Empty // instead of numbers
	Today, Total []Stat
	Median       Stat
	Chart        Chart
	Clients      []TenantClientSteps
	Incomplete   bool
	Most         int // maximum number of counted events of a type
}

// TenantClientSteps is the number of logins of one client that reached each step.
type TenantClientSteps struct {
	Name, URL string // the URL is empty for a deleted client
	Steps     []Stat
}

// TenantEvents lists events, or those of one login, which are then also a timeline.
type TenantEvents struct {
	URL      string
	Type     Select
	Login    string // as it was submitted
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

// TenantEvent is a row of the list; unknown values are empty.
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
	RedirectLines  string // one per line
	WrongRedirects bool
	StaleRedirects string // see [StaleText]
	Version        string // of the name and the addresses; see package forms
	Snippets       []Code
	Open           bool   // a TEST client with which anyone can sign in, at an address that others can reach
	TryURL         string // starts a login; empty: the client can't be tested without a message
	Connect        TenantConnect
}

// TenantConnect is a client's form for OpenID Connect and native applications.
type TenantConnect struct {
	URL            string
	Version        string // see package forms
	RedirectLines  string // one per line
	WrongRedirects bool
	StaleRedirects string // see [StaleText]
	LogoutURI      Field
	Allows         string // the label of the setting that clients of this type have
	AllowsHint     string
	Allowed        bool
	StaleAllowed   string // see [StaleText]
	EmailDomain    Field
	Verified       Select
	Username       Select
	DomainsURL     string
	Confirm        *TenantConfirmClaims // nil: the form doesn't ask
	Taken          bool                 // another tenant has proven the saved domain
	Unproven       bool                 // email_verified is false although the saved setting is true
	State          *Badge               // of deliveries to the saved address; nil if there is none
	Problem        *Alert               // with the deliveries; nil: none
}

// TenantConfirmClaims asks before a form replaces the values by which programs know people. Both can be empty.
type TenantConfirmClaims struct{ EmailDomain, PreferredUsername string }

// TenantNewClient is the form for a new client.
type TenantNewClient struct {
	ID             string // of the form, which creates one client even if it is sent several times
	ClientsURL     string
	Name           Field
	Type, Mode     Select
	Redirects      string
	WrongRedirects bool
}
