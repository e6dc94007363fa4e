package web

import "time"

// The operator's pages of held prefixes.
const (
	PageOperatorPrefixes = "operator_prefixes" // OperatorPrefixes
	PageOperatorRelease  = "operator_release"  // OperatorRelease
)

// OperatorPrefixes shows the targets of one-time codes.
type OperatorPrefixes struct {
	Prefixes []OperatorPrefix
	Caps     []OperatorArea
	Pages    Pagination
}

// OperatorPrefix is the codes of an account to numbers with the same prefix.
type OperatorPrefix struct {
	Prefix, Account, AccountURL string
	Sent, Verified              int64
	Percent                     string
	Until                       time.Time // zero: not blocked
	ReleaseURL                  string
}

// OperatorArea is this hour's count of a prefix or country.
type OperatorArea struct {
	Name, Account, AccountURL string // without an account: of all accounts
	Sent                      int64
	Most                      string
	Full                      bool
	ReleaseURL                string
}

// OperatorRelease is the confirmation for sending codes to an area again.
type OperatorRelease struct{ URL, PrefixesURL, AccountID, Account, Area string }
