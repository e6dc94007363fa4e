package web

import "time"

// The operator's pages of gateways and senders.
const (
	PageOperatorGateways   = "operator_gateways"    // OperatorGateways
	PageOperatorGateway    = "operator_gateway"     // OperatorGateway
	PageOperatorNewGateway = "operator_gateway_new" // OperatorNewGateway
	PageOperatorSenders    = "operator_senders"     // OperatorSenders
	PageOperatorSender     = "operator_sender"      // OperatorSender
)

// OperatorGateways lists gateways.
type OperatorGateways struct {
	NewURL   string
	Gateways []OperatorGatewayLine
	Pages    Pagination
}

// OperatorGatewayLine is a gateway.
type OperatorGatewayLine struct {
	URL, Name, Kind string
	Stored          bool // in the database, and not in the configuration
	State           Badge
	Channels        []string
	Senders         int
	Failures        int64
	Error           string // the last one's code
	ErrorAt         time.Time
}

// OperatorGateway is the page of one gateway.
type OperatorGateway struct {
	OperatorGatewayLine

	GatewaysURL string
	Stats       []Stat
	Problem     string // why it is not open as it is stored
	FailingAt   time.Time
	ErrorDetail string
	Lines       []OperatorGatewaySender
	More        int    // senders that are not shown
	Settings    string // that were refused
	Version     string // of the stored ones
}

// OperatorGatewaySender is a sender of a gateway.
type OperatorGatewaySender struct {
	URL, Channel, Address string
	State                 Badge
}

// OperatorNewGateway asks for what a gateway has.
type OperatorNewGateway struct {
	URL, Settings string
	Fields        []Field
}

// OperatorSenders lists senders.
type OperatorSenders struct {
	URL, Query string
	Senders    []OperatorSenderLine
	Pages      Pagination
}

// OperatorSenderLine is a sender.
type OperatorSenderLine struct {
	URL, ID, Channel, Address, Gateway, GatewayURL string
	Account, AccountURL                            string // both empty: the platform's
	State                                          Badge
	PausedAt                                       time.Time
	WarmUp                                         string // what today allows; empty: it is not warming up
}

// OperatorSender is the page of one sender.
type OperatorSender struct {
	OperatorSenderLine

	SendersURL string
	Fields     []Field
	Warming    bool
	WarmText   string
	Waiting    Select // what becomes of waiting messages when it is removed
}
