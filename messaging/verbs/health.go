package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/outbox"
)

// HealthOptions describe the process that responds.
type HealthOptions struct {
	Deployment *outbox.Deployment

	Version string
	Since   time.Time     // start time of the server; zero: no server runs
	NodeID  func() string // nil: no server runs
}

// HealthVerbs returns the table of commands for the deployment's health.
func HealthVerbs(o HealthOptions) verb.Verbs {
	return byOperator(&health{o}, healthVerbs())
}

func healthVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("health.show", "Show deployment health", verb.Reads, (*health).show).As("health").Explained("Show the health of the deployment: its database, queues, and nodes."),
	}
}

type health struct{ HealthOptions }

// Health describes the health of a deployment.
type Health struct {
	Version   string     `json:"version" row:"version"`
	Now       time.Time  `json:"now" row:"time"`
	StartedAt *time.Time `json:"startedAt" row:"running since"` // null: no server runs
	Database  Database   `json:"database"`

	Sending SendingState `json:"sending"`
	Queues  []Queue      `json:"queues"` // of the channels with queued messages
	Nodes   []Node       `json:"nodes"`  // empty on SQLite, where there is only one process
}

// Database describes the health of a deployment's database.
type Database struct {
	Engine    string `json:"engine" row:"database"` // sqlite, postgres
	Schema    int64  `json:"schema" row:"schema"`   // version of the last migration
	Version   string `json:"version" row:"database version"`
	Size      int64  `json:"size" row:"bytes"`               // in bytes
	LogSize   int64  `json:"logSize" row:"bytes of the log"` // size of SQLite's write-ahead log, in bytes
	FreeDisk  *int64 `json:"freeDisk" row:"free bytes"`      // in bytes; null: unknown
	AheadMs   int64  `json:"aheadMs" row:"clock ahead (ms)"` // difference between its clock and the server's
	LatencyMs int64  `json:"latencyMs"`                      // duration of a query
}

// A Queue contains the numbers of queued messages of a channel.
type Queue struct {
	Channel     string     `json:"channel" col:"QUEUE"`
	Ready       int64      `json:"ready" col:"READY"`        // waiting only for their turn
	Due         int64      `json:"due" col:"DUE"`            // scheduled time has passed
	Later       int64      `json:"later" col:"LATER"`        // scheduled, waiting for a retry, or being submitted to a gateway
	OldestSince *time.Time `json:"oldestSince" col:"OLDEST"` // of the ready and due ones
}

// A Node is a process that sends messages.
type Node struct {
	ID      string       `json:"id" col:"NODE"`
	Self    bool         `json:"self"`              // the process that responds
	Alive   bool         `json:"alive" col:"ALIVE"` // its lease is valid
	Until   time.Time    `json:"until"`             // end of its lease
	Senders []NodeSender `json:"senders" col:"SENDERS"`
}

// A NodeSender is a sender that a node owns.
type NodeSender struct {
	ID          string     `json:"id"`
	Channel     string     `json:"channel,omitempty"`
	Address     string     `json:"address,omitempty"`
	PausedUntil *time.Time `json:"pausedUntil"` // by the circuit breaker
}

// Cell returns the sender in one line.
func (s NodeSender) Cell() string { return s.Channel + " " + s.Address }

const maxOwned = 500 // maximum number of senders that are shown with their nodes

func (h *health) show(ctx context.Context, _ *Nothing) (Health, error) {
	asked := h.Deployment.Now()
	state, err := h.Deployment.Database(ctx)
	if err != nil {
		return Health{}, err
	}
	out := Health{Version: h.Version, Now: asked, StartedAt: verb.TimeOrNull(h.Since), Database: Database{
		Engine: string(state.Engine), Schema: state.Schema, Version: state.Version, Size: state.Size, LogSize: state.Log, AheadMs: state.Ahead.Milliseconds(), LatencyMs: h.Deployment.Now().Sub(asked).Milliseconds(),
	}}
	if state.HasFree {
		out.Database.FreeDisk = &state.Free
	}
	paused, err := h.Deployment.SendingPause(ctx)
	if err != nil {
		return Health{}, err
	}
	out.Sending = shownSending(paused)
	queues, err := h.Deployment.Queues(ctx)
	if err != nil {
		return Health{}, err
	}
	out.Queues = verb.Each(queues, func(q *outbox.Queue) Queue {
		return Queue{Channel: string(q.Channel), Ready: q.Ready, Due: q.Due, Later: q.Later, OldestSince: verb.TimeOrNull(q.Oldest())}
	})
	nodes, err := h.Deployment.Nodes(ctx, maxOwned)
	self := ""
	if h.NodeID != nil {
		self = h.NodeID()
	}
	out.Nodes = verb.Each(nodes, func(n *outbox.NodeState) Node {
		return Node{ID: n.ID, Self: n.ID == self, Alive: n.Alive, Until: n.Until, Senders: verb.Each(n.Owned, func(s *outbox.OwnedSender) NodeSender {
			return NodeSender{s.ID, s.Channel, s.Address, verb.TimeOrNull(s.PausedUntil)}
		})}
	})
	return out, err
}
