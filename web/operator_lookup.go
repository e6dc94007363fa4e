package web

import "time"

// The operator's page of one message.
const (
	PageOperatorLookup = "operator_lookup" // OperatorLookup
)

// OperatorLookup is the form for a message's id, with the message.
type OperatorLookup struct {
	URL   string
	ID    Field
	Found *OperatorMessage
}

// OperatorMessage is a message of any account, without its content and with the recipient masked.
type OperatorMessage struct {
	ID, Account, AccountURL                string
	Status                                 Badge
	Recipient, Channel, Requested, From    string
	SenderURL, Gateway, ProviderID, Source string
	GatewayURL                             string // empty: no gateway
	Sensitive                              bool
	Characters, Calls                      int
	CreatedAt, ExpiresAt, DueAt            time.Time
	Failure                                string
	Steps                                  []Step
}
