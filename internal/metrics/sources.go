package metrics

import (
	"context"
	"time"
)

// Sources are the sources of the metrics that are measured on a scrape. Each can be nil, and its
// metrics are then missing.
type Sources struct {
	Database func(context.Context) (DatabaseState, error)
	Queues   func(context.Context) ([]Queue, error)
	Senders  func(context.Context) ([]Senders, error)
	Webhooks func(context.Context) ([]Backlog, error)

	DocsURL string // URL of this deployment's documentation; empty: unknown

	// These sources are cheap and are called on each scrape.
	Gateways     func() []GatewayState
	Pools        func() []Pool
	Writes       func() int64
	Certificates func() []Certificate
	LastBackup   func() (at time.Time, known bool)
	GatewayClock func() (ahead time.Duration, known bool) // difference between the gateways' clocks and this process's
}

// DatabaseState is the status of the database. A nil field is unknown.
type DatabaseState struct {
	Up                  bool // it responds, and stores data
	Size, LogSize, Free *int64
	LockWaiters         *int64         // statements that wait for a lock
	ClockOffset         *time.Duration // difference between its clock and this process's
	Paused              bool           // sending is paused
}

// Queue is the queued messages of a channel in one state.
type Queue struct {
	Channel, State string // ready, due, later
	Messages       int64
	Oldest         time.Time // start of the longest wait; zero if no message waits, or none is late
}

// Senders are the senders of one channel and gateway whose connections are in one state.
type Senders struct {
	Gateway, Channel, State string
	Count                   int64
}

// Backlog is the queued events for the endpoints of a service.
type Backlog struct {
	Service string
	Pending int64
	Oldest  time.Time // due time of the event that has waited longest and can be sent; zero if there is none
}

// GatewayState is the state of a gateway according to this process's attempts.
type GatewayState struct {
	Name    string
	Outages []Outage // empty: it works
}

// Outage is the reason that sender addresses can't send through a gateway.
type Outage struct {
	Code      string // one of a small set
	Addresses int
}

// Pool is a pool of database connections.
type Pool struct {
	Name             string
	InUse, Idle, Max int
	Waits            int64
	Waited           time.Duration
}

// Certificate is a certificate that this process uses.
type Certificate struct {
	Name    string // the setting that names its file
	Expires time.Time
}
