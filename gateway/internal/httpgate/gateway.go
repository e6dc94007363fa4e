package httpgate

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/clock"
)

// Kind contains the parts that a driver adds to the engine.
type Kind struct {
	Channel      gateway.Channel
	Placeholders []string   // in addition to those of every kind
	Required     [][]string // the request has at least one of each group
	UserText     []string   // contain text of users, and therefore cannot be in a header
	MaxBody      int64      // size limit of a webhook body, in bytes
}

// Gateway is an open gateway of any kind. A driver's sender embeds it.
type Gateway struct {
	*httpcall.Client
	kind     Kind
	settings *Settings
	request  *requestTemplate
	probe    *requestTemplate // nil without a probe
	tokens   *tokens          // nil without oauth
	handler  *httpcall.Webhook
	webhooks []Webhook
	sink     gateway.Sink
	now      clock.Now
	log      *slog.Logger

	unhandled func(reason string) // counts genuine events that are dropped
}

// Size limits of a response, and of all webhooks' bodies in memory, in bytes.
const (
	maxAnswer = 256 << 10
	MaxBodies = 8 << 20
)

// New opens a gateway. It does not contact the provider yet, and it refuses settings that cannot work. webhooks are
// the webhooks of the kind, in addition to receipts.
func New(set *Settings, kind Kind, deps gateway.Deps, webhooks ...Webhook) (*Gateway, error) {
	g := &Gateway{kind: kind, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, unhandled: deps.UnhandledCounter()}
	builtins := kind.builtins()
	var err error
	if g.Client, err = set.prepare(); err != nil {
		return nil, err
	}
	if err = set.readValues(builtins); err != nil {
		return nil, err
	}
	if g.request, err = newRequestTemplate(set, kind); err != nil {
		return nil, err
	}
	if g.probe, err = newProbe(set); err != nil {
		return nil, err
	}
	g.webhooks = append([]Webhook{{Path: "/receipts", Settings: set.Receipts, Store: g.receipt}}, webhooks...)
	if err := errors.Join(set.prepareAnswers(), g.prepareWebhooks()); err != nil {
		return nil, err
	}
	if set.OAuth != nil {
		g.tokens = &tokens{login: set.OAuth, client: g.Client, now: deps.Now, requesting: make(chan struct{}, 1)}
	}
	g.handler = &httpcall.Webhook{MaxBody: kind.MaxBody, MaxHeld: MaxBodies, Handle: g.handle}
	return g, nil
}

// Uses reports whether the request has one of these placeholders.
func (g *Gateway) Uses(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return g.request.used[name] })
}

// Info implements [gateway.Sender].
func (g *Gateway) Info() gateway.Info {
	s := g.settings
	return gateway.Info{
		Channels: []gateway.Channel{g.kind.Channel}, Deduplicates: s.Deduplicates, DeduplicatesFor: setting.Seconds(s.DeduplicatesFor),
		Receipts: s.Receipts.Enabled(), ByProviderID: s.Receipts.byProviderID(), Pace: s.pace(),
	}
}

// maxRef is the maximum length of a reference in a request, in characters.
const maxRef = 200

// Check returns the reason why no gateway of the kind can send a message, or nil.
func (g *Gateway) Check(out *gateway.Outbound) *gateway.Error {
	if failure := out.Check(g.now(), g.kind.Channel); failure != nil {
		return failure
	}
	if failure := out.CheckRef(maxRef); failure != nil {
		return failure
	}
	if out.Text == "" && out.HTML == "" {
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	return out.CheckNoMedia()
}

// Values returns the values of the placeholders that every kind has.
func (g *Gateway) Values(out *gateway.Outbound) Values {
	all := g.settings.ownValues()
	all["ref"] = out.Ref
	if g.settings.CallbackURL != "" && g.settings.Receipts.Enabled() {
		all["callback_url"], all["callback_token"] = g.settings.CallbackURL, g.settings.Receipts.Auth.Token
	}
	return all
}

// ownValues returns the values of the operator's own placeholders.
func (s *Settings) ownValues() Values {
	all := Values{}
	for name, text := range s.values {
		all[name] = text
	}
	return all
}

// Deliver makes one attempt.
func (g *Gateway) Deliver(ctx context.Context, s Values) (gateway.Ack, error) {
	request, err := g.request.fill(s)
	if err != nil { // its text could contain parts of the message
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	answer, failure := g.do(ctx, request)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	ack, failure := g.settings.classify(answer)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return ack, nil
}

// do makes a call with the basic login or a token, if there is one. A cached token might have been revoked. The
// gateway has not accepted a request that it refused because of the token, so do repeats the request with a new
// token.
func (g *Gateway) do(ctx context.Context, request *httpcall.Request) (*httpcall.Answer, *gateway.Error) {
	if b := g.settings.Basic; b != nil {
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(b.Username+":"+b.Password)))
	}
	for {
		cached := false
		if g.tokens != nil {
			token, wasCached, failure := g.tokens.get(ctx)
			if failure != nil {
				return nil, failure
			}
			cached = wasCached
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, failure := g.Do(ctx, request)
		if failure == nil && answer.Status == http.StatusUnauthorized && g.tokens != nil {
			g.tokens.forget(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer "))
			if cached {
				continue
			}
		}
		return answer, failure
	}
}
