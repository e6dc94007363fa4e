package web

import "time"

// The operator's page of one message.
const (
	PageOperatorLookup = "operator_lookup" // OperatorLookup
)

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
	GatewayURL                             string // empty: without a gateway
	Sensitive                              bool
	Characters, Calls                      int
	CreatedAt, ExpiresAt, DueAt            time.Time
	Failure                                string
	Steps                                  []Step
}
