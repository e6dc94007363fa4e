package httpgate

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
	"griot/internal/clock"
)

// Kind is what a driver adds to the engine.
type Kind struct {
	Channel      gateway.Channel
	Placeholders []string   // beside those of every kind
	Required     [][]string // of each of these the request has at least one
	UserText     []string   // hold what a person wrote: no header of the request can carry them
	MaxBody      int64      // bytes of one webhook's body
}

// Gateway is an open gateway of any kind. A driver's sender embeds it.
type Gateway struct {
	*httpcall.Client
	kind     Kind
	settings *Settings
	writer   *writer
	probe    *writer // nil without a probe
	tokens   *tokens // nil without oauth
	webhook  *httpcall.Webhook
	routes   []Webhook
	sink     gateway.Sink
	now      clock.Now
	log      *slog.Logger
}

// Bytes of an answer, and of all webhooks' bodies at once.
const (
	maxAnswer = 256 << 10
	MaxBodies = 8 << 20
)

// New opens a gateway. It contacts nothing yet, and refuses settings that could not work. Routes are the webhooks that the
// kind knows beside receipts.
func New(set *Settings, kind Kind, deps gateway.Deps, routes ...Webhook) (*Gateway, error) {
	g := &Gateway{kind: kind, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log}
	builtins := kind.builtins()
	var err error
	if g.Client, err = set.prepare(); err != nil {
		return nil, err
	}
	if err = set.readValues(builtins); err != nil {
		return nil, err
	}
	if g.writer, err = newWriter(set, kind); err != nil {
		return nil, err
	}
	if g.probe, err = newProbe(set); err != nil {
		return nil, err
	}
	g.routes = append([]Webhook{{Path: "/receipts", Settings: set.Receipts, Store: g.receipt}}, routes...)
	if err := errors.Join(set.prepareAnswers(), g.prepareHooks()); err != nil {
		return nil, err
	}
	if set.OAuth != nil {
		g.tokens = &tokens{login: set.OAuth, client: g.Client, now: deps.Now, asking: make(chan struct{}, 1)}
	}
	g.webhook = &httpcall.Webhook{MaxBody: kind.MaxBody, MaxHeld: MaxBodies, Handle: g.take}
	return g, nil
}

// Uses reports whether the request has one of these placeholders.
func (g *Gateway) Uses(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return g.writer.used[name] })
}

// Info implements [gateway.Sender].
func (g *Gateway) Info() gateway.Info {
	s := g.settings
	return gateway.Info{
		Channels: []gateway.Channel{g.kind.Channel}, Deduplicates: s.Deduplicates, DeduplicatesFor: seconds(s.DeduplicatesFor),
		Receipts: s.Receipts.Enabled(), ByProviderID: s.Receipts.byID(), Pace: s.pace(),
	}
}

var referencePattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,200}\z`)

// Check says why a message can't be sent by any gateway of the kind; nil if it may.
func (g *Gateway) Check(out *gateway.Outbound) *gateway.Error {
	if failure := out.Check(g.now(), g.kind.Channel); failure != nil {
		return failure
	}
	switch {
	case !referencePattern.MatchString(out.Ref):
		return &gateway.Error{Class: gateway.Permanent, Code: "reference_invalid"}
	case out.Text == "" && out.HTML == "":
		return &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	return out.CheckNoMedia()
}

// Scope returns what the placeholders of every kind stand for.
func (g *Gateway) Scope(out *gateway.Outbound) Scope {
	all := g.settings.own()
	all["ref"] = out.Ref
	if g.settings.CallbackURL != "" && g.settings.Receipts.Enabled() {
		all["callback_url"], all["callback_token"] = g.settings.CallbackURL, g.settings.Receipts.Auth.Token
	}
	return all
}

// own returns what the operator's placeholders stand for.
func (s *Settings) own() Scope {
	all := Scope{}
	for name, text := range s.values {
		all[name] = text
	}
	return all
}

// Deliver makes one attempt.
func (g *Gateway) Deliver(ctx context.Context, s Scope) (gateway.Ack, error) {
	request, err := g.writer.write(s)
	if err != nil { // its text could quote the message
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	answer, failure := g.carry(ctx, request)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	ack, failure := g.settings.judge(answer)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return ack, nil
}

// carry makes a request, with the login or a token where there is one. A token that was kept may have been withdrawn: what is
// refused for it was not taken, and is asked again with a new one.
func (g *Gateway) carry(ctx context.Context, request *httpcall.Request) (*httpcall.Answer, *gateway.Error) {
	if b := g.settings.Basic; b != nil {
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(b.Username+":"+b.Password)))
	}
	for {
		kept := false
		if g.tokens != nil {
			token, wasKept, failure := g.tokens.get(ctx)
			if failure != nil {
				return nil, failure
			}
			kept = wasKept
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, failure := g.Do(ctx, request)
		if failure == nil && answer.Status == http.StatusUnauthorized && g.tokens != nil {
			g.tokens.forget(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer "))
			if kept {
				continue
			}
		}
		return answer, failure
	}
}

const second = time.Second

func duration[N int | int64](n N) time.Duration { return time.Duration(n) }

func seconds(n int) time.Duration { return duration(n) * second }
