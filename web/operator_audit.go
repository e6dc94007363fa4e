package web

import "time"

// The operator's pages of the audit logs and of one message.
const (
	PageOperatorAudit  = "operator_audit"  // OperatorAudit
	PageOperatorLookup = "operator_lookup" // OperatorLookup
)

// OperatorAudit lists audit events of a service.
type OperatorAudit struct {
	URL      string
	Tabs     Tabs
	Fields   []Field // filters
	Filtered bool
	Logins   bool // of the login service
	Events   []OperatorAuditEvent
	Pages    Pagination
}

// OperatorAuditEvent is a line of the list; what is not known is empty.
type OperatorAuditEvent struct {
	At                       time.Time
	Action, Actor, Who       string
	Of, OfURL                string // an account, or a login
	Target, Details, Network string
	Failed                   string // why it was refused
}

// OperatorLookup asks for a message's id, and shows it.
type OperatorLookup struct {
	URL   string
	ID    Field
	Found *OperatorMessage
}

// OperatorMessage is a message of any account: nothing of what it says, and the recipient masked.
type OperatorMessage struct {
	ID, AccountID, AccountURL              string
	Status                                 Badge
	Recipient, Channel, Requested, From    string
	SenderURL, Gateway, ProviderID, Source string
	Sensitive                              bool
	Characters, Calls                      int
	CreatedAt, ExpiresAt, DueAt            time.Time
	Failure                                string
	Steps                                  []Step
}
