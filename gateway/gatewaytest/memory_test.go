package gatewaytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/whatsappid"
)

// memory is a driver and its provider in one, with every facet. Without a flaw it passes the suite.
type memory struct {
	*Environment
	channel      gateway.Channel
	deduplicates bool
	flaw         string

	mu         sync.Mutex
	mode       string
	hang       *memoryHang
	received   []Received
	acks       map[string]gateway.Ack
	closed     bool
	dropped    bool
	groupCalls int
	readMarks  []string
	hidden     map[string]string // IDs by number
	pairing    gateway.PairingProgress
	pending    []func(context.Context) error // items that the sink has not accepted yet
	wake       chan struct{}
}

type memoryHang struct {
	reached, released chan struct{}
	release           sync.Once
}

const memorySecret = "kora-7-cordes"

func newMemory(flaw string) *memory {
	return &memory{
		Environment: NewEnvironment(), channel: gateway.SMS, flaw: flaw,
		acks: map[string]gateway.Ack{}, wake: make(chan struct{}, 1),
	}
}

func (m *memory) subject() Subject {
	script := func(mode string) func() { return func() { m.script(mode) } }
	hang := func(mode string) func() Hang {
		return func() Hang {
			h := &memoryHang{reached: make(chan struct{}), released: make(chan struct{})}
			m.script(mode)
			m.hang = h
			return Hang{Reached: h.reached, Release: func() { h.release.Do(func() { close(h.released) }) }}
		}
	}
	s := Subject{
		Environment: m.Environment, Sender: m, Channel: m.channel,
		From: "22320000001", To: []string{"22370000001", "22370000002", "22370000003"}, Secrets: []string{memorySecret},
		Provider: Provider{
			Accept: script(""), Refuse: script("refuse"), RefuseForNow: script("refuse for now"),
			RefuseRecipient: script("refuse recipient"), RefuseLogin: script("refuse login"),
			DropBefore: script("drop before"), DropAfter: script("drop after"),
			HangBefore: hang("hang before"), HangAfter: hang("hang after"),
			Received: m.allReceived, SendInbound: m.sendInbound, ReadMarks: m.allReadMarks, Groups: memoryGroups, LinkPhone: m.linkPhone, HideNumber: m.hideNumber,
		},
	}
	if m.channel == gateway.Email {
		s.From, s.To = "griot@example.org", []string{"aissata@example.org", "moussa@example.org"}
	}
	return s
}

func (m *memory) script(mode string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mode = mode
}

func (m *memory) allReceived() []Received {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Received(nil), m.received...)
}

func (m *memory) Info() gateway.Info {
	info := gateway.Info{Channels: []gateway.Channel{m.channel}, Deduplicates: m.deduplicates, Receipts: true, Media: true, Pairs: true, Replies: m.channel != gateway.Email}
	switch m.flaw {
	case "lists no channel":
		info.Channels = nil
	case "lists a channel twice":
		info.Channels = append(info.Channels, m.channel)
	case "claims to deduplicate":
		info.Deduplicates = true
	}
	return info
}

func (m *memory) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flaw == "logs the text" {
		m.Deps().Log.Debug("sending", "text", out.Text)
	}
	if m.flaw == "changes the message" {
		out.Text += "!"
	}
	if m.flaw == "changes the attachment" && out.Media != nil {
		out.Media.Data[0]++
	}
	if err := m.check(ctx, out); err != nil {
		return gateway.Ack{}, err
	}
	switch m.mode {
	case "refuse", "refuse for now", "refuse recipient", "refuse login":
		if m.flaw == "keeps what was refused" {
			m.accept(out)
		}
		return gateway.Ack{}, m.refusal(out)
	case "drop before":
		m.dropped = true
		if m.flaw == "drop before is unknown" {
			return gateway.Ack{}, fail(gateway.Unknown, "answer_lost")
		}
		return gateway.Ack{}, fail(gateway.Temporary, "connection_lost")
	case "hang before":
		m.wait(ctx)
		if m.flaw == "hang before is unknown" {
			return gateway.Ack{}, fail(gateway.Unknown, "answer_lost")
		}
		return gateway.Ack{}, fail(gateway.Temporary, "timeout")
	}
	ack := m.accept(out)
	switch m.mode {
	case "drop after":
		m.dropped = true
		if m.flaw == "tries again by itself" {
			m.accept(out)
		}
		if m.flaw == "drop after is temporary" {
			return gateway.Ack{}, fail(gateway.Temporary, "connection_lost")
		}
		return gateway.Ack{}, fail(gateway.Unknown, "answer_lost")
	case "hang after":
		m.wait(ctx)
		return gateway.Ack{}, fail(gateway.Unknown, "answer_lost")
	}
	if m.flaw == "makes up ids" {
		ack.ProviderID = "other"
	}
	return ack, nil
}

func (m *memory) check(ctx context.Context, out *gateway.Outbound) error {
	now := m.Clock.Now()
	if m.flaw == "expires by the machine's clock" {
		now = time.Now()
	}
	expired := !out.ExpiresAt.IsZero() && !now.Before(out.ExpiresAt)
	switch {
	case out.Channel != m.channel && m.flaw != "takes any channel":
		return fail(gateway.Permanent, "channel_unsupported")
	case m.closed && m.flaw != "sends after Close":
		return fail(gateway.SenderDown, "closed")
	case m.dropped && m.mode == "" && m.flaw == "stays down":
		return fail(gateway.SenderDown, "closed")
	case m.flaw == "takes no message without expiry" && out.ExpiresAt.IsZero(), expired && m.flaw != "ignores expiry":
		if m.flaw == "has its own word for expired" {
			return fail(gateway.Permanent, "too_late")
		}
		return fail(gateway.Permanent, "expired")
	case out.ToID != "" && len(m.hidden) == 0 && m.flaw != "sends to nobody": // no person has an ID
		return fail(gateway.Unreachable, "recipient_invalid")
	case m.flaw == "sends from no names" && gateway.CheckName(out.From) == "":
		return fail(gateway.Permanent, "sender_invalid")
	case out.ToID != "" && m.flaw == "sends to numbers only", whatsappid.Is(out.To) && m.flaw != "takes IDs as numbers":
		return fail(gateway.Permanent, "recipient_invalid")
	case out.Interactive != nil && m.flaw == "takes nothing with buttons":
		return fail(gateway.Permanent, "buttons_unsupported")
	case ctx.Err() != nil && m.flaw != "ignores an ended context":
		return fail(gateway.Temporary, "timeout")
	}
	return nil
}

func (m *memory) accept(out *gateway.Outbound) gateway.Ack {
	if ack, ok := m.acks[out.Ref]; ok && (m.deduplicates || m.flaw == "deduplicates in secret") {
		return ack
	}
	r := Received{
		Ref: out.Ref, ProviderID: fmt.Sprint("provider-", len(m.received)), To: cmp.Or(out.To, out.ToID),
		Text: out.Text + "\n", Subject: out.Subject, HTML: out.HTML,
	}
	if out.Media != nil {
		r.Media = m.attachment(out.Media)
	}
	switch {
	case m.flaw == "answers everything":
		r.ReplyTo = out.Ref
	case m.flaw != "answers nothing":
		r.ReplyTo = cmp.Or(out.ReplyTo.Ref, out.ReplyTo.ProviderID)
	}
	ack := gateway.Ack{ProviderID: r.ProviderID}
	m.acks[out.Ref] = ack
	switch m.flaw {
	case "alters the text":
		r.Text = "e" + r.Text
	case "sends to another":
		r.To = "22370000009"
	case "drops the subject":
		r.Subject = ""
	case "loses every tenth":
		if len(m.acks)%10 == 0 {
			return ack
		}
	case "doubles":
		m.received = append(m.received, r)
	}
	m.received = append(m.received, r)
	m.report(out, ack)
	return ack
}

func (m *memory) refusal(out *gateway.Outbound) error {
	class := map[string]gateway.Class{
		"refuse": gateway.Permanent, "refuse for now": gateway.Temporary,
		"refuse recipient": gateway.Unreachable, "refuse login": gateway.SenderDown,
	}[m.mode]
	e := &gateway.Error{Class: class, Code: "refused", ProviderCode: "550"}
	switch m.flaw {
	case "takes every refusal as permanent":
		e.Class = gateway.Permanent
	case "takes every refusal as temporary":
		e.Class = gateway.Temporary
	case "returns bare errors":
		return errors.New("refused")
	case "explains itself in the code":
		e.Code = "Refused by peer"
	case "asks to retry in the past":
		e.RetryAfter = -time.Second
	case "repeats the text":
		e.Err = errors.New("refused: " + out.Text)
	case "repeats the recipient":
		e.ProviderCode = "550 <" + out.To + ">"
	case "repeats the login":
		e.Err = errors.New("refused: " + memorySecret)
	}
	return fmt.Errorf("provider: %w", e)
}

// wait blocks a send until ctx ends or the hang is released.
func (m *memory) wait(ctx context.Context) {
	h := m.hang
	m.mu.Unlock()
	defer m.mu.Lock()
	close(h.reached)
	if m.flaw == "waits whatever the context" {
		ctx = context.Background()
	}
	select {
	case <-ctx.Done():
	case <-h.released:
	}
}

func (m *memory) Close() error {
	if m.flaw == "never closes" {
		time.Sleep(2 * waittest.Limit)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.flaw == "closes once" && m.closed:
		return errors.New("closed already")
	case m.flaw == "leaves work behind" && !m.closed:
		go func() { <-m.wake }()
	}
	m.closed = true
	return nil
}

func fail(class gateway.Class, code string) error { return &gateway.Error{Class: class, Code: code} }
