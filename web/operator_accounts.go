package web

import "time"

// The operator's pages of accounts and plans.
const (
	PageOperatorAccounts = "operator_accounts" // OperatorAccounts
	PageOperatorAccount  = "operator_account"  // OperatorAccount
	PageOperatorPlans    = "operator_plans"    // OperatorPlans
	PageOperatorPlan     = "operator_plan"     // OperatorPlan
)

// OperatorAccounts lists accounts.
type OperatorAccounts struct {
	URL, Query string
	Accounts   []OperatorAccountLine
	Pages      Pagination
}

// OperatorAccountLine is an account.
type OperatorAccountLine struct {
	URL, ID, Name, Email string
	Plan                 Badge  // what it amounts to now
	Given                string // the plan that it was given, if that is another
	CreatedAt, ExpiresAt time.Time
}

// OperatorAccount is the page of one account.
type OperatorAccount struct {
	OperatorAccountLine

	AccountsURL string
	WebhookURL  string // its page
	AuditURL    string
	Stats       []Stat
	Plans       Select
	Fields      []Field
	Keys        []OperatorKey
	Senders     []OperatorAccountSender
	Members     []OperatorMember
	Pages       Pagination // of keys, senders and members
	ClosedAt    time.Time
	Version     string // of the form: see package stale
}

// OperatorKey is an API key.
type OperatorKey struct {
	ID, Kind, Masked                 string
	CreatedAt, LastUsedAt, RevokedAt time.Time
	RevokeURL                        string // empty: it is revoked
}

// OperatorAccountSender is a sender of an account.
type OperatorAccountSender struct{ URL, Channel, Address, Gateway string }

// OperatorMember is a member, or who is invited; JoinedAt is then zero.
type OperatorMember struct {
	ID, Email, Role string
	JoinedAt        time.Time
	RemoveURL       string
}

// OperatorPlans lists the plans.
type OperatorPlans struct{ Plans []OperatorPlanLine }

// OperatorPlanLine is a plan.
type OperatorPlanLine struct {
	URL, Name, DailyLimit, Rate, RecipientCap string
	Inbox                                     bool
}

// OperatorPlan is the form of a plan.
type OperatorPlan struct {
	Version             string // of the form: see package stale
	StaleInbox          string // see [StaleText]
	URL, PlansURL, Name string
	Fields              []Field
	Inbox               bool
}
