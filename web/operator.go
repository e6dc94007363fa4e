package web

import "time"

// The operator's pages. Each except the first is one of templates/app.
const (
	PageOperatorSignIn = "operator_sign_in" // OperatorSignIn
	PageOperatorHealth = "operator_health"  // OperatorHealth
)

// OperatorSignIn is the form for the token of a link.
type OperatorSignIn struct {
	Action   string // target of the form
	Next     string // path of the page after it
	Wrong    bool   // the given token is invalid
	SignedIn bool   // this browser has a session

	Accounts, Tenants string // the dashboards where everyone else signs in; empty: unknown
}

// OperatorHealth shows the health of a deployment.
type OperatorHealth struct {
	Paused *OperatorPause // nil: not paused
	Alerts []Alert
	Checks *OperatorChecks // nil: this process runs no checks
	Server []Stat
	Queues []OperatorQueue
	Nodes  []OperatorNode
	Single bool // one process has all roles
}

// OperatorChecks is the result of the checks of `griot doctor`.
type OperatorChecks struct {
	At       time.Time         // time of the result; zero: there is none yet
	Running  bool              // a newer result is on its way
	Problems []OperatorFinding // the worst first
	Passed   []OperatorFinding
}

// OperatorFinding is a line of a check. Its texts are in English.
type OperatorFinding struct {
	State       Badge
	Name        string // the check and its subject
	Text, Hint  string // the hint is the fix; it can be empty
	URL, Action string // of the page where it can be fixed; empty: none
}

// OperatorPause is the reason that the deployment sends nothing.
type OperatorPause struct {
	Text   string
	Ending bool // it can't be resumed yet
}

// OperatorQueue is the queued messages of a channel.
type OperatorQueue struct {
	Channel string
	Stats   []Stat
}

// OperatorNode is a process that delivers.
type OperatorNode struct {
	ID      string
	Self    bool
	State   Badge
	Until   time.Time
	Senders []OperatorNodeSender
}

// OperatorNodeSender is a sender that a node owns.
type OperatorNodeSender struct {
	Name, URL   string    // URL is empty if the sender was removed
	PausedUntil time.Time // zero: not paused
}
