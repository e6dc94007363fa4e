package web

import "time"

// The operator's pages. Each but the first is one of templates/app.
const (
	PageOperatorSignIn = "operator_sign_in" // OperatorSignIn
	PageOperatorHealth = "operator_health"  // OperatorHealth
)

// OperatorSignIn asks for the token of a link.
type OperatorSignIn struct {
	Action   string // where it is posted to
	Next     string // path to go to then
	Wrong    bool   // what was given opens nothing
	SignedIn bool   // this browser has a session
}

// OperatorHealth shows how a deployment does.
type OperatorHealth struct {
	Paused *OperatorPause // nil: the deployment sends
	Alerts []Alert
	Server []Stat
	Queues []OperatorQueue
	Nodes  []OperatorNode
	Single bool // one process does everything
}

// OperatorPause is why the deployment sends nothing.
type OperatorPause struct {
	Text   string
	Ending bool // it cannot be resumed yet
}

// OperatorQueue is what waits on a channel.
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
	PausedUntil time.Time // zero: it is not paused
}
