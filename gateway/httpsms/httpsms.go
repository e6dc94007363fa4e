package httpsms

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
	"griot/internal/clock"
	"griot/internal/phone"
)

// sender carries SMS by one HTTP gateway.
type sender struct {
	name     string // the gateway's
	settings *settings
	writer   *writer
	client   *httpcall.Client
	tokens   *tokens // nil without oauth
	door     *httpcall.Door
	sink     gateway.Sink
	now      clock.Now
	log      *slog.Logger
}

// Bytes of an answer, of one webhook's body, and of all those at once.
const (
	maxAnswer = 256 << 10
	maxCall   = 256 << 10
	maxCalls  = 8 << 20
)

// Open is the [gateway.Driver] of HTTP gateways for SMS. It contacts nothing yet; docs/gateways/httpsms.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := parse(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{name: deps.Name, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log}
	if s.writer, err = newWriter(set); err != nil {
		return nil, err
	}
	if err := errors.Join(set.prepareAnswers(), set.prepareHooks()); err != nil {
		return nil, err
	}
	s.client = httpcall.New(httpcall.Options{
		Timeout: seconds(set.SendTimeout), Connect: seconds(set.ConnectTimeout), Connections: set.Connections, MaxAnswer: maxAnswer, Authorities: set.authorities,
	})
	if set.OAuth != nil {
		s.tokens = &tokens{login: set.OAuth, client: s.client, now: deps.Now, asking: make(chan struct{}, 1)}
	}
	s.door = &httpcall.Door{MaxBody: maxCall, MaxHeld: maxCalls, Take: s.take}
	return s, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	return gateway.Info{Channels: []gateway.Channel{gateway.SMS}, Deduplicates: s.settings.Deduplicates, Receipts: s.settings.Receipts.on(), ByProviderID: s.settings.Receipts.byID(), Pace: s.settings.pace()}
}

// Close implements [gateway.Sender]. It cuts off the sends that are under way.
func (s *sender) Close() error {
	s.client.Close()
	return nil
}

var referencePattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,200}\z`)

// Send implements [gateway.Sender].
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	code := ""
	switch {
	case out.Channel != gateway.SMS:
		code = "channel_unsupported"
	case !out.ExpiresAt.IsZero() && !s.now().Before(out.ExpiresAt):
		code = "expired"
	case !referencePattern.MatchString(out.Ref):
		code = "reference_invalid"
	case out.Text == "":
		code = "message_empty"
	case out.Media != nil:
		code = "media_unsupported"
	}
	if code != "" {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: code}
	}
	request, err := s.writer.write(s.scope(out))
	if err != nil { // its text could quote the message
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	if b := s.settings.Basic; b != nil {
		request.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(b.Username+":"+b.Password)))
	}
	answer, failure := s.carry(ctx, request)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	ack, failure := s.settings.judge(answer)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return ack, nil
}

// carry makes the request, with a token where there is one. A token that was kept may have been withdrawn: what is refused
// for it was not taken, and is asked again with a new one.
func (s *sender) carry(ctx context.Context, request *httpcall.Request) (*httpcall.Answer, *gateway.Error) {
	for {
		kept := false
		if s.tokens != nil {
			token, wasKept, failure := s.tokens.get(ctx)
			if failure != nil {
				return nil, failure
			}
			kept = wasKept
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, failure := s.client.Do(ctx, request)
		if failure == nil && answer.Status == http.StatusUnauthorized && s.tokens != nil {
			s.tokens.forget(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer "))
			if kept {
				continue
			}
		}
		return answer, failure
	}
}

// leastTTL is the least that gateways take; milliseconds.
const leastTTL = 20_000

// scope is what the placeholders stand for.
func (s *sender) scope(out *gateway.Outbound) scope {
	all := scope{}
	for name, text := range s.settings.values {
		all[name] = text
	}
	all["ref"], all["to"], all["to_plus"], all["text"] = out.Ref, out.To, "+"+out.To, out.Text
	all["from"], all["from_plus"] = out.From, out.From
	if n, ok := phone.Parse(out.From); ok {
		all["from_plus"] = n.E164()
	}
	all["coding"], all["text_hex"] = s.settings.Coding.alphabet(out.Text)
	if !out.ExpiresAt.IsZero() {
		left := out.ExpiresAt.Sub(s.now())
		round := func(unit time.Duration) string { return strconv.FormatInt(int64((left+unit-1)/unit), 10) }
		all["ttl"], all["ttl_minutes"], all["expires"] = round(time.Second), round(time.Minute), strconv.FormatInt(out.ExpiresAt.Unix(), 10)
		all["ttl_ms"] = strconv.FormatInt(max(left.Milliseconds(), leastTTL), 10)
	}
	if s.settings.CallbackURL != "" && s.settings.Receipts.on() {
		all["callback_url"], all["callback_token"] = s.settings.CallbackURL, s.settings.Receipts.Auth.Token
	}
	return all
}

// readFile returns what a file holds, without the line break at its end.
func readFile(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return "", errors.New("the file is empty")
	}
	return text, nil
}

const second = time.Second

func duration[N int | int64](n N) time.Duration { return time.Duration(n) }

func seconds(n int) time.Duration { return duration(n) * second }
