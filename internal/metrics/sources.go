package metrics

import (
	"context"
	"time"
)

// Sources are what is measured when somebody asks. Each may be nil, and then its metrics are missing.
type Sources struct {
	Database func(context.Context) (DatabaseState, error)
	Queues   func(context.Context) ([]Queue, error)
	Senders  func(context.Context) ([]Senders, error)
	Webhooks func(context.Context) ([]Backlog, error)

	DocsURL string // where this deployment serves its documentation; empty: unknown

	// These cost nothing, and are asked at each scrape.
	Gateways     func() []GatewayState
	Pools        func() []Pool
	Writes       func() int64
	Certificates func() []Certificate
	LastBackup   func() (at time.Time, known bool)
	GatewayClock func() (ahead time.Duration, known bool) // how far the gateways' clocks are ahead of this process's
}

// DatabaseState is how the database does. A nil member is not known.
type DatabaseState struct {
	Up                  bool // it answers, and stores
	Size, LogSize, Free *int64
	LockWaiters         *int64         // statements that wait for a lock
	ClockOffset         *time.Duration // how far its clock is ahead of this process's
	Paused              bool           // sending is paused
}

// Queue is what waits on a channel in one state.
type Queue struct {
	Channel, State string // ready, due, later
	Messages       int64
	Oldest         time.Time // since when the oldest waits; zero: none does, or it is not late
}

// Senders are the senders of one channel and gateway whose connections are in one state.
type Senders struct {
	Gateway, Channel, State string
	Count                   int64
}

// Backlog is what waits for the endpoints of a service.
type Backlog struct {
	Service string
	Pending int64
	Oldest  time.Time // when the event was due that has waited longest and may go; zero: there is none
}

// GatewayState is whether a gateway works, as this process's attempts have shown.
type GatewayState struct {
	Name    string
	Outages []Outage // none: it works
}

// Outage is why addresses of ours can't send by a gateway.
type Outage struct {
	Code      string // one of a few
	Addresses int
}

// Pool is a pool of database connections.
type Pool struct {
	Name             string
	InUse, Idle, Max int
	Waits            int64
	Waited           time.Duration
}

// Certificate is a certificate that this process serves with.
type Certificate struct {
	Name    string // the setting that names its file
	Expires time.Time
}
