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
}

// OperatorHealth shows the health of a deployment.
type OperatorHealth struct {
	Paused *OperatorPause // nil: not paused
	Alerts []Alert
	Server []Stat
	Queues []OperatorQueue
	Nodes  []OperatorNode
	Single bool // one process has all roles
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
