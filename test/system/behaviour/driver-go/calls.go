package main

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/webhook"
)

// calls are the operations of the messaging API by their names in the list.
var calls = map[string]func(ctx context.Context, c *griot.Client, args json.RawMessage) (any, error){
	"send": with(func(ctx context.Context, c *griot.Client, m *griot.Message) (any, error) { return c.Send(ctx, m) }),
	"sendBatch": with(func(ctx context.Context, c *griot.Client, b *griot.Batch) (any, error) {
		return c.SendBatch(ctx, b)
	}),
	"preview": with(func(ctx context.Context, c *griot.Client, m *griot.Message) (any, error) { return c.Preview(ctx, m) }),
	"status":  with(func(ctx context.Context, c *griot.Client, a *ids) (any, error) { return c.Status(ctx, a.MessageID) }),
	"cancel":  with(func(ctx context.Context, c *griot.Client, a *ids) (any, error) { return c.Cancel(ctx, a.MessageID) }),
	"logs": with(func(ctx context.Context, c *griot.Client, a *filter) (any, error) {
		f := griot.LogFilter{Limit: a.Limit, Cursor: a.Cursor, Status: a.Status, Channel: a.Channel, To: a.To, Metadata: a.Metadata, Query: a.Q}
		if a.All {
			return all(c.AllLogs(ctx, f))
		}
		return c.Logs(ctx, f)
	}),
	"sendCode": with(func(ctx context.Context, c *griot.Client, r *griot.CodeRequest) (any, error) {
		return c.SendCode(ctx, r)
	}),
	"verifyCode": with(func(ctx context.Context, c *griot.Client, g *griot.Guess) (any, error) {
		return struct{}{}, c.VerifyCode(ctx, g)
	}),
	"groups":      with(func(ctx context.Context, c *griot.Client, _ *ids) (any, error) { return c.Groups(ctx) }),
	"senders":     with(func(ctx context.Context, c *griot.Client, _ *ids) (any, error) { return c.Senders(ctx) }),
	"describeKey": with(func(ctx context.Context, c *griot.Client, _ *ids) (any, error) { return c.DescribeKey(ctx) }),
	"pingWebhook": with(func(ctx context.Context, c *griot.Client, _ *ids) (any, error) { return c.PingWebhook(ctx) }),
	"conversations": with(func(ctx context.Context, c *griot.Client, a *filter) (any, error) {
		f := griot.InboxFilter{Query: a.Q, Limit: a.Limit, Cursor: a.Cursor}
		if a.All {
			return all(c.AllConversations(ctx, f))
		}
		return c.Conversations(ctx, f)
	}),
	"reply": with(func(ctx context.Context, c *griot.Client, a *struct {
		griot.Reply
		ids
	},
	) (any, error) {
		return c.Reply(ctx, a.ID, &a.Reply)
	}),
	"markRead": with(func(ctx context.Context, c *griot.Client, a *ids) (any, error) { return c.MarkRead(ctx, a.ID) }),
	"media": with(func(ctx context.Context, c *griot.Client, a *ids) (any, error) {
		m, err := c.Media(ctx, a.ID)
		if err != nil {
			return nil, err
		}
		defer m.Body.Close()
		body, err := io.ReadAll(m.Body)
		return map[string]any{"body": string(body), "contentType": m.ContentType, "fileName": m.FileName, "size": m.Size}, err
	}),
	"optOuts": with(func(ctx context.Context, c *griot.Client, a *filter) (any, error) {
		f := griot.OptOutFilter{Channel: a.Channel, Query: a.Q, Limit: a.Limit, Cursor: a.Cursor}
		if a.All {
			return all(c.AllOptOuts(ctx, f))
		}
		return c.OptOuts(ctx, f)
	}),
	"addOptOut": with(func(ctx context.Context, c *griot.Client, a *filter) (any, error) {
		return c.AddOptOut(ctx, a.Channel, a.Address)
	}),
	"removeOptOut": with(func(ctx context.Context, c *griot.Client, a *ids) (any, error) {
		return struct{}{}, c.RemoveOptOut(ctx, a.ID)
	}),
	"webhook.verify": with(func(_ context.Context, _ *griot.Client, a *signed) (any, error) { return a.verify() }),
}

type ids struct {
	ID        string `json:"id"`
	MessageID string `json:"messageId"`
}

type filter struct {
	All      bool                `json:"all"`
	Limit    int                 `json:"limit"`
	Cursor   string              `json:"cursor"`
	Q        string              `json:"q"`
	Status   griot.MessageStatus `json:"status"`
	Channel  griot.Channel       `json:"channel"`
	To       string              `json:"to"`
	Address  string              `json:"address"`
	Metadata map[string]string   `json:"metadata"`
}

// with decodes a call's arguments.
func with[A any](fn func(context.Context, *griot.Client, *A) (any, error)) func(context.Context, *griot.Client, json.RawMessage) (any, error) {
	return func(ctx context.Context, c *griot.Client, args json.RawMessage) (any, error) {
		a := new(A)
		if len(args) > 0 {
			if err := json.Unmarshal(args, a); err != nil {
				return nil, err
			}
		}
		return fn(ctx, c, a)
	}
}

// all collects the values of an iterator.
func all[T any](items iter.Seq2[T, error]) (any, error) {
	var found struct {
		Items []T `json:"items"`
	}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		found.Items = append(found.Items, item)
	}
	return found, nil
}

// signed is an event as it was posted.
type signed struct {
	Secrets     []string          `json:"secrets"`
	Now         int64             `json:"now"` // Unix seconds
	ToleranceMs int64             `json:"toleranceMs"`
	Headers     map[string]string `json:"headers"`
	Body        string            `json:"body"`
}

func (a *signed) verify() (any, error) {
	v, err := webhook.New(webhook.Options{Tolerance: time.Duration(a.ToleranceMs) * time.Millisecond, Now: func() time.Time { return time.Unix(a.Now, 0) }}, a.Secrets...)
	if err != nil {
		return nil, err
	}
	h := http.Header{}
	for name, value := range a.Headers {
		h.Set(name, value)
	}
	e, err := v.Event(h, []byte(a.Body))
	if err != nil {
		return nil, err
	}
	return map[string]any{"type": e.Type, "id": e.ID, "at": e.At.UnixMilli(), "data": e.Data}, nil
}
