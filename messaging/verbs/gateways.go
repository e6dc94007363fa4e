package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
)

// A Gateway is a gateway as operators see it, without its settings.
type Gateway struct {
	Name      string          `json:"name" col:"GATEWAY"`
	Kind      string          `json:"kind" col:"KIND"`
	From      string          `json:"from" col:"FROM"` // configuration, database
	CreatedAt *time.Time      `json:"createdAt"`
	Channels  []string        `json:"channels" col:"CHANNELS"`          // empty if no server runs
	State     string          `json:"state" col:"STATE"`                // open, failing (open, but its last test failed or it is in an outage), closed; empty if no server runs
	Problem   string          `json:"problem,omitempty" col:"PROBLEM"`  // the reason why the stored revision is not open
	Failures  int64           `json:"failures" col:"FAILURES"`          // attempts and connections that failed because of the gateway, since the server started
	FailingAt *time.Time      `json:"failingSince" col:"FAILING SINCE"` // null: no known failure
	LastError *GatewayError   `json:"lastError" col:"LAST ERROR"`       // null: none
	Dropped   int64           `json:"dropped" col:"DROPPED"`            // ignored reports about numbers and messages that do not belong to the gateway, since the server started
	DroppedAt *time.Time      `json:"droppedAt"`                        // the time of the last one
	Tested    string          `json:"tested"`                           // passed, failed; empty: not tried since it was opened, or no server runs
	Senders   []GatewaySender `json:"senders" col:"SENDERS"`
	Version   string          `json:"version,omitempty"` // of a stored gateway's settings
	Test      *Tested         `json:"test,omitempty"`    // after a change by a server: whether the gateway works with its settings
}

// A GatewayError is the last failure that a gateway caused.
type GatewayError struct {
	At           time.Time `json:"at"`
	Class        string    `json:"class"`
	Code         string    `json:"code"`
	ProviderCode string    `json:"providerCode,omitempty"`
	Cause        string    `json:"cause,omitempty"`
}

// Cell returns the error in one line.
func (e GatewayError) Cell() string {
	return strings.Join(strings.Fields(strings.Join([]string{e.At.UTC().Format(time.RFC3339), e.Code, e.ProviderCode, e.Cause}, " ")), " ")
}

// A GatewaySender is a sender that uses a gateway.
type GatewaySender struct {
	ID      string `json:"id"`
	Channel string `json:"channel"`
	Address string `json:"address"`
	Connection
}

// Key returns the sender's ID.
func (s GatewaySender) Key() string { return s.ID }

// Cell returns the sender in one line.
func (s GatewaySender) Cell() string {
	text := s.Channel + " " + s.Address
	if s.State != "" {
		text += " (" + s.State + ")"
	}
	return text
}

// A Connection is the state of a sender's connection. All fields are empty if no server runs.
type Connection struct {
	State  string     `json:"state" col:"STATE"`
	Reason string     `json:"reason" page:"reason"` // a code in snake_case; empty: unknown
	Until  *time.Time `json:"until" page:"until"`   // expected end of the state; null: unknown
}

// connection returns the state of a sender's connection.
func (h *service) connection(s *account.Sender) Connection {
	d := h.Gateways.Detail(s.Gateway, s.Channel, s.Address)
	return Connection{string(d.State), d.Reason, verb.TimeOrNull(d.Until)}
}

const (
	fromConfiguration = "configuration"
	fromDatabase      = "database"

	probeTime       = 20 * time.Second
	changeProbeTime = 5 * time.Second // for the test after a change, whose result is only shown
)

func (h *service) listGateways(ctx context.Context, _ *Nothing) ([]Gateway, error) {
	found, err := h.Gateways.List(ctx)
	if err != nil {
		return nil, err
	}
	senders, err := h.Directory.EverySender(ctx)
	return verb.Each(found, func(e *gatewaystore.Entry) Gateway { return h.shownGateway(e, senders) }), err
}

func (h *service) shownGateway(e *gatewaystore.Entry, senders []account.Sender) Gateway {
	g := Gateway{Name: e.Name, Kind: e.Kind, From: fromConfiguration, CreatedAt: verb.TimeOrNull(e.CreatedAt), Problem: e.Problem, Version: e.Revision, Channels: []string{}, Senders: []GatewaySender{}, Dropped: e.Stats.Dropped, DroppedAt: verb.TimeOrNull(e.Stats.DroppedAt), Tested: string(e.Stats.Tested), Failures: e.Stats.Failures, FailingAt: verb.TimeOrNull(e.Stats.FailingSince)}
	if l := e.Stats.LastFailure; !l.At.IsZero() {
		g.LastError = &GatewayError{l.At, string(l.Class), l.Code, l.ProviderCode, l.Cause}
	}
	if e.Stored {
		g.From = fromDatabase
	}
	switch {
	case e.Open && (g.FailingAt != nil || e.Stats.Tested == gateway.TestFailed):
		g.State = "failing"
	case e.Open:
		g.State = "open"
	case h.Gateways.Running():
		g.State = "closed"
	}
	for _, c := range e.Channels {
		g.Channels = append(g.Channels, string(c))
	}
	for _, s := range senders {
		if s.Gateway == e.Name {
			g.Senders = append(g.Senders, GatewaySender{s.ID, string(s.Channel), s.Address, h.connection(&s)})
		}
	}
	return g
}

// GatewayInput describes a gateway. The settings depend on the kind.
type GatewayInput struct {
	Name     string          `json:"name" arg:"NAME"`
	Kind     string          `json:"kind" flag:"kind,required" help:"kind of gateway: smtp, smpp, cloudapi, ..."` // for a new gateway
	Settings json.RawMessage `json:"settings" flag:"settings,required" help:"file with the kind's settings in YAML or JSON (-: standard input)"`
}

// GatewayChange replaces a gateway's settings.
type GatewayChange struct {
	Name     string          `json:"name" arg:"NAME"`
	Settings json.RawMessage `json:"settings" flag:"settings,required" help:"file with all settings of the kind in YAML or JSON (-: standard input)"`
	Version  string          `json:"version"` // the change is refused if the gateway has another version; empty: not checked
	Form     string          `json:"form"`    // the settings are those of this [StoredSettings.Form], which doesn't have all; empty: they are all settings
}

// GatewayTry contains settings to test.
type GatewayTry struct {
	GatewayInput

	Form string `json:"form"` // the settings change those of the stored gateway, as in [GatewayChange]; empty: they are all settings
}

func (h *service) addGateway(ctx context.Context, in *GatewayInput) (Gateway, error) {
	return h.changed(ctx, in.Name, h.Gateways.Add(ctx, in.Name, in.Kind, in.Settings))
}

func (h *service) setGateway(ctx context.Context, in *GatewayChange) (Gateway, error) {
	if in.Form != "" {
		return h.changed(ctx, in.Name, h.Gateways.Change(ctx, in.Name, in.Version, func(kind string, stored json.RawMessage) (json.RawMessage, error) {
			return mergeSettings(in.Form, kind, stored, in.Settings)
		}))
	}
	return h.changed(ctx, in.Name, h.Gateways.SetShown(ctx, in.Name, in.Version, in.Settings))
}

// changed returns a gateway after a change, or err if it is not nil. A server tests it first, because a gateway whose
// driver opens might still refuse the credentials.
func (h *service) changed(ctx context.Context, name string, err error) (Gateway, error) {
	if err != nil {
		return Gateway{}, err
	}
	var test *Tested
	if h.Gateways.Running() {
		probing, cancel := context.WithTimeout(ctx, changeProbeTime)
		t, err := h.Gateways.Test(probing, name)
		cancel()
		if err == nil { // otherwise, it was removed in the meantime
			result := tested(name, t)
			test = &result
		}
	}
	all, err := h.listGateways(ctx, nil)
	if err != nil {
		return Gateway{}, err
	}
	for _, g := range all {
		if g.Name == name {
			g.Test = test
			return g, nil
		}
	}
	return Gateway{}, gatewaystore.ErrNotFound // it was removed in the meantime
}

// ByName identifies a gateway.
type ByName struct {
	Name string `json:"name" arg:"NAME" row:"removed"`
}

// removeGateway removes a gateway. It refuses a gateway that has senders, because they would fail.
func (h *service) removeGateway(ctx context.Context, in *ByName) (ByName, error) {
	return *in, h.Gateways.Remove(ctx, in.Name)
}

// TestInput identifies a gateway to test, and optionally an address on it whose connection state is returned.
type TestInput struct {
	Name    string `json:"name" arg:"NAME"`
	Channel string `json:"channel"`
	Address string `json:"address"`
}

// Tested is the result of a round trip to a gateway.
type Tested struct {
	Name    string `json:"name" row:"gateway"`
	Kind    string `json:"kind" row:"kind"`
	State   string `json:"state" row:"state"` // of its connection, if it has one; empty if no server runs
	Result  string `json:"result" row:"result"`
	Problem string `json:"problem,omitempty" row:"problem"` // codes of the failure
	Text    string `json:"text,omitempty"`                  // the failure in a sentence without a period
	Hint    string `json:"hint,omitempty"`                  // the fix
	Reason  string `json:"reason,omitempty"`                // the reason for the state of an address
	AheadMs *int64 `json:"aheadMs"`                         // difference between the gateway's clock and ours, in milliseconds; null: unknown

	Notices []GatewayNotice `json:"notices" row:"notices"` // what an operator should know although the gateway works

	GatewayFailure
}

// A GatewayNotice is something that an operator should know about a gateway that works.
type GatewayNotice struct {
	Failed bool   `json:"failed"` // it no longer works as documented
	Text   string `json:"text"`
	Hint   string `json:"hint"` // the repair
}

// Cell returns the notice in one line.
func (n GatewayNotice) Cell() string { return n.Text + ": " + n.Hint }

// Results of a test.
const (
	TestPassed    = "ok"
	TestFailed    = "failed"
	TestNoProbe   = "not_possible" // the driver has no round trip without sending a message
	noGatewayText = "The gateway doesn't exist. Existing gateways: %s."
)

func (h *service) testGateway(ctx context.Context, in *TestInput) (Tested, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := h.checkGateway(ctx, in.Name, ""); err != nil {
		return Tested{}, err
	}
	t, err := h.Gateways.Test(ctx, in.Name)
	if errors.Is(err, gatewaystore.ErrNotFound) {
		return Tested{}, verb.Refuse("Only a running server can test this gateway.")
	}
	if err != nil {
		return Tested{}, err
	}
	out := tested(in.Name, t)
	if in.Address != "" {
		d := h.Gateways.Detail(in.Name, gateway.Channel(in.Channel), in.Address)
		out.State, out.Reason = string(d.State), d.Reason
	}
	return out, nil
}

// tryGateway tests settings without storing them.
func (h *service) tryGateway(ctx context.Context, in *GatewayTry) (Tested, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if in.Form != "" {
		kind, _, stored, err := h.Gateways.Stored(ctx, in.Name)
		if err != nil {
			return Tested{}, err
		}
		in.Kind = kind
		if in.Settings, err = mergeSettings(in.Form, kind, stored, in.Settings); err != nil {
			return Tested{}, err
		}
	}
	t, err := h.Gateways.Try(ctx, in.Name, in.Kind, in.Settings)
	if err != nil {
		return Tested{}, err
	}
	return tested(in.Name, t), nil
}

// tested converts the result of a test.
func tested(name string, t *gatewaystore.TestResult) Tested {
	out := Tested{Name: name, Kind: t.Kind, State: string(t.State), Result: TestPassed, Notices: []GatewayNotice{}}
	for _, n := range t.Notices {
		out.Notices = append(out.Notices, GatewayNotice(n))
	}
	if t.HasAhead {
		ms := t.Ahead.Milliseconds()
		out.AheadMs = &ms
	}
	switch {
	case !t.Probed:
		out.Result = TestNoProbe
	case t.Problem != nil:
		out.Result, out.Problem = TestFailed, problemOf(t.Problem)
		out.GatewayFailure = failureOf(t.Problem)
		text, hint := out.Explain(i18n.EN)
		out.Text, out.Hint = plain(text), plain(hint)
	}
	return out
}

// problemOf describes a gateway's failure for operators.
func problemOf(err error) string {
	f, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		return err.Error()
	}
	s := fmt.Sprintf("%s (%s)", f.Code, f.Class)
	if f.ProviderCode != "" {
		s += ", " + f.ProviderCode
	}
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	return s
}

// checkGateway returns an error if a gateway does not exist, or if it is open and can't send on the channel; empty: any channel.
func (h *service) checkGateway(ctx context.Context, name string, channel gateway.Channel) error {
	all, err := h.Gateways.List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range all {
		switch {
		case g.Name != name:
			names = append(names, g.Name)
		case channel != "" && len(g.Channels) > 0 && !slices.Contains(g.Channels, channel):
			return verb.Refuse("The gateway %s can't send on the channel %s (griot admin gateways list shows its channels).", name, channel)
		default:
			return nil
		}
	}
	return verb.Refuse(noGatewayText, strings.Join(names, ", "))
}
