package account

import (
	"time"

	"griot/gateway"
)

// Account is a developer's account. It is shared by requests and never changed after it was read.
type Account struct {
	ID            string
	Name          string
	Email         string
	Plan          Plan
	RecipientCap  int64 // messages a recipient and day; 0: none
	WebhookURL    string
	WebhookSecret string // sealed
	CreatedAt     time.Time
	HasOptOuts    bool     // somebody wants no more messages
	Senders       []Sender // its own in their order, then the platform's
}

// Sender is a number or an address that messages come from; it lives on a gateway.
type Sender struct {
	ID        string
	AccountID string // empty: the platform's, for every account
	Channel   gateway.Channel
	Address   string // E.164 digits, or an e-mail address
	Gateway   string // the gateway's name
	Position  int    // the order in which an account's senders are tried
}

// Project groups an account's messages; its keys see its messages only.
type Project struct {
	ID, AccountID, Name string
}

// Caller is who makes a request.
type Caller struct {
	Account   *Account
	ProjectID string // empty: the account itself
	Kind      Kind
	KeyID     string
}

// Plan says how much an account may do.
type Plan struct {
	Name       string
	DailyLimit int64 // messages a UTC day; 0: no limit
	Rate       int   // requests a second and key; twice that in a burst; 0: no limit
	Inbox      bool  // has the inbox and the assistant endpoint
}

// Plans lists the plans (DESIGN §8). Unlimited is for those who run Griot for
// themselves, and for load tests.
func Plans() []Plan {
	return []Plan{
		{Name: "free", DailyLimit: 10, Rate: 2},
		{Name: "starter", DailyLimit: 500, Rate: 10},
		{Name: "pro", DailyLimit: 5_000, Rate: 50, Inbox: true},
		{Name: "business", DailyLimit: 50_000, Rate: 200, Inbox: true},
		{Name: "unlimited", Inbox: true},
	}
}

func planNamed(name string) Plan {
	plans := Plans()
	for _, p := range plans {
		if p.Name == name {
			return p
		}
	}
	return plans[0]
}
