package client_test

import (
	"context"
	"errors"
	"time"

	griot "example.com/griot/client"
)

// operation calls one operation of the OpenAPI with everything that it takes.
type operation func(ctx context.Context, c *griot.Client) (any, error)

var (
	march = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	// operations are what the client can do, by the names of openapi/messaging.yaml.
	operations = map[string]operation{
		"sendMessage": func(ctx context.Context, c *griot.Client) (any, error) { return c.Send(ctx, sms()) },
		"sendBatch": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.SendBatch(ctx, &griot.Batch{Messages: []*griot.Message{sms()}})
		},
		"getMessageStatus": func(ctx context.Context, c *griot.Client) (any, error) { return c.Status(ctx, "id") },
		"cancelMessage":    func(ctx context.Context, c *griot.Client) (any, error) { return c.Cancel(ctx, "id") },
		"listMessages": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.Logs(ctx, griot.LogFilter{Limit: 1, Status: griot.Sent, Channel: griot.SMS, To: "x", Since: march, Until: march, Cursor: "x", Metadata: map[string]string{"a": "b"}, Query: "x", SenderID: "x", Code: "x", Source: "api", Project: "x"})
		},
		"sendCode": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.SendCode(ctx, &griot.CodeRequest{To: "+22376000001"})
		},
		"verifyCode": func(ctx context.Context, c *griot.Client) (any, error) {
			return nil, c.VerifyCode(ctx, &griot.Guess{ChallengeID: "x", Code: "1"})
		},
		"getOTPStats":  func(ctx context.Context, c *griot.Client) (any, error) { return c.CodeStats(ctx) },
		"getAnalytics": func(ctx context.Context, c *griot.Client) (any, error) { return c.Analytics(ctx, 50) },
		"getStats": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.Stats(ctx, griot.StatsFilter{From: march, To: march, Step: "hour", Channel: griot.SMS, Project: "x"})
		},
		"listGroups": func(ctx context.Context, c *griot.Client) (any, error) { return c.Groups(ctx) },
		"listConversations": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.Conversations(ctx, griot.InboxFilter{Query: "x", Limit: 1, Cursor: "x"})
		},
		"listConversationMessages": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.ConversationMessages(ctx, "id", griot.InboxFilter{Limit: 1, Cursor: "x"})
		},
		"searchInboxMessages": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.SearchInbox(ctx, griot.InboxFilter{Query: "x", Limit: 1, Cursor: "x"})
		},
		"markConversationRead":   func(ctx context.Context, c *griot.Client) (any, error) { return c.MarkRead(ctx, "id") },
		"markConversationUnread": func(ctx context.Context, c *griot.Client) (any, error) { return c.MarkUnread(ctx, "id") },
		"replyToConversation": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.Reply(ctx, "id", &griot.Reply{Text: "x"})
		},
		"getInboxRevision": func(ctx context.Context, c *griot.Client) (any, error) { return c.InboxRevision(ctx) },
		"getMedia": func(ctx context.Context, c *griot.Client) (any, error) {
			m, err := c.Media(ctx, "https://api.example.com/api/media/id")
			if err == nil {
				err = m.Body.Close()
			}
			return nil, err
		},
		"listSenders":  func(ctx context.Context, c *griot.Client) (any, error) { return c.Senders(ctx) },
		"getSender":    func(ctx context.Context, c *griot.Client) (any, error) { return c.Sender(ctx, "id") },
		"pauseSender":  func(ctx context.Context, c *griot.Client) (any, error) { return c.PauseSender(ctx, "id") },
		"resumeSender": func(ctx context.Context, c *griot.Client) (any, error) { return c.ResumeSender(ctx, "id") },
		"getWebhook":   func(ctx context.Context, c *griot.Client) (any, error) { return c.Webhook(ctx) },
		"listWebhookEvents": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.WebhookEvents(ctx, griot.WebhookEventFilter{Delivery: "failed", Limit: 1, Cursor: "x"})
		},
		"getWebhookEvent":    func(ctx context.Context, c *griot.Client) (any, error) { return c.WebhookEvent(ctx, "id") },
		"resendWebhookEvent": func(ctx context.Context, c *griot.Client) (any, error) { return c.ResendWebhookEvent(ctx, "id") },
		"resendFailedWebhookEvents": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.ResendFailedWebhookEvents(ctx, march)
		},
		"pingWebhook":   func(ctx context.Context, c *griot.Client) (any, error) { return c.PingWebhook(ctx) },
		"enableWebhook": func(ctx context.Context, c *griot.Client) (any, error) { return c.EnableWebhook(ctx) },
		"setWebhook": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.SetWebhook(ctx, "https://shop.example/hooks/griot")
		},
		"rotateWebhookSecret": func(ctx context.Context, c *griot.Client) (any, error) { return c.RotateWebhookSecret(ctx) },
		"listenToWebhookEvents": func(ctx context.Context, c *griot.Client) (any, error) {
			for _, err := range c.Listen(ctx, griot.ListenOptions{}) {
				if !errors.Is(err, context.Canceled) {
					return nil, err
				}
			}
			return nil, nil
		},
		"rotateStreamSecret": func(ctx context.Context, c *griot.Client) (any, error) { return c.RotateStreamSecret(ctx) },
		"listOptOuts": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.OptOuts(ctx, griot.OptOutFilter{Channel: griot.SMS, Address: "x", Query: "x", Limit: 1, Cursor: "x"})
		},
		"addOptOut": func(ctx context.Context, c *griot.Client) (any, error) {
			return c.AddOptOut(ctx, griot.SMS, "+22376000001")
		},
		"removeOptOut": func(ctx context.Context, c *griot.Client) (any, error) { return nil, c.RemoveOptOut(ctx, "id") },
		"listPresets":  func(ctx context.Context, c *griot.Client) (any, error) { return c.Presets(ctx) },
		"describeKey":  func(ctx context.Context, c *griot.Client) (any, error) { return c.DescribeKey(ctx) },
		"getHealth":    func(ctx context.Context, c *griot.Client) (any, error) { return c.Health(ctx) },
	}

	// absent are operations with a key that the client does not have, with the reason.
	absent = map[string]string{
		"callAssistant": "it is the Model Context Protocol, which has clients of its own",
	}
)
