package web

import "time"

// The operator's pages of held prefixes.
const (
	PageOperatorPrefixes = "operator_prefixes" // OperatorPrefixes
	PageOperatorRelease  = "operator_release"  // OperatorRelease
)

// OperatorPrefixes shows where one-time codes go.
type OperatorPrefixes struct {
	Prefixes []OperatorPrefix
	Caps     []OperatorArea
	Pages    Pagination
}

// OperatorPrefix is what an account has sent to numbers that begin alike.
type OperatorPrefix struct {
	Prefix, AccountID, AccountURL string
	Sent, Verified                int64
	Percent                       string
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
