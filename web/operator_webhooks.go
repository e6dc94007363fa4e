package web

import "time"

// The operator's pages of webhook endpoints and held prefixes.
const (
	PageOperatorWebhooks = "operator_webhooks" // OperatorWebhooks
	PageOperatorWebhook  = "operator_webhook"  // OperatorWebhook
	PageOperatorPrefixes = "operator_prefixes" // OperatorPrefixes
	PageOperatorRelease  = "operator_release"  // OperatorRelease
)

// OperatorWebhooks lists endpoints.
type OperatorWebhooks struct {
	Endpoints []OperatorEndpoint
	Pages     Pagination
}

// OperatorEndpoint is where the events of an account or tenant go.
type OperatorEndpoint struct {
	At, Name, URL                                             string // At is its page
	Enabled                                                   bool
	State                                                     Badge
	Pending                                                   string
	LastSuccessAt, LastFailureAt, FailingSince, PreviousUntil time.Time
	LastStatus                                                int // 0: no answer
}

// OperatorWebhook is the page of one endpoint.
type OperatorWebhook struct {
	OperatorEndpoint

	WebhooksURL, AccountURL string
	Tabs                    Tabs
	Events                  []OperatorEvent
	Pages                   Pagination
}

// OperatorEvent is an event, and what became of it.
type OperatorEvent struct {
	ID, Type, ResendURL string
	At                  time.Time
	State               Badge
	Tries               int // that failed
}

// OperatorPrefixes shows where one-time codes go.
type OperatorPrefixes struct {
	Prefixes []OperatorPrefix
	Caps     []OperatorArea
	Pages    Pagination
}

// OperatorPrefix is what an account has sent to numbers that begin alike.
type OperatorPrefix struct {
	Prefix, AccountID, AccountURL string
	Sent, Verified, Percent       int64
	Until                         time.Time // zero: it is not held
	ReleaseURL                    string
}

// OperatorArea is this hour's count of a prefix or country.
type OperatorArea struct {
	Name, AccountID, AccountURL string // without an account: of all
	Sent                        int64
	Most                        string
	Full                        bool
	ReleaseURL                  string
}

// OperatorRelease asks whether codes may go to an area again.
type OperatorRelease struct{ URL, PrefixesURL, AccountID, Area string }
