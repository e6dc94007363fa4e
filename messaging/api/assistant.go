package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mcp"
	"example.com/griot/messaging/message"
)

// assistant returns the assistant endpoint.
func (a *API) assistant() *mcp.Server {
	own, _ := httpx.ParseOwn(a.o.URL) // without a URL of its own, it has no page either
	return mcp.New(mcp.Options{
		Origin: own.URL, Inbox: inboxBodies{a}, Version: a.o.Version,
		ErrorBody: func(w http.ResponseWriter, r *http.Request, err error) any {
			return a.errorBody(w, a.http.ErrorFor(w, r, err))
		},
	})
}

// inboxBodies returns the response bodies of the inbox, for both the assistant endpoint and the HTTP interface.
type inboxBodies struct{ a *API }

// Reply implements [mcp.Inbox].
func (b inboxBodies) Reply(ctx context.Context, c *account.Caller, id, words string, o inbox.ReplyOptions) (any, error) {
	o.Source, o.Sandbox = message.SourceMCP, isSimulated(ctx)
	out, _, err := b.a.answerConversation(ctx, c, id, words, o)
	return out, err
}

// Attachment implements [mcp.Inbox].
func (b inboxBodies) Attachment(ctx context.Context, c *account.Caller, messageID string) (m *inbox.Media, url string, err error) {
	if m, err = b.a.o.Inbox.MediaOf(ctx, c, messageID); err != nil {
		return nil, "", err
	}
	return m, b.a.o.URL + m.Path(), nil
}

// Status implements [mcp.Inbox].
func (b inboxBodies) Status(ctx context.Context, c *account.Caller, messageID string) (any, error) {
	m, err := b.a.o.Messages.Find(ctx, c, messageID)
	if err != nil {
		return nil, err
	}
	return statusOf(m)
}

type quotaAnswer struct {
	Success bool    `json:"success"`
	Plan    string  `json:"plan"` // the plan in effect
	Usage   meUsage `json:"usage"`
}

// Quota implements [mcp.Inbox].
func (b inboxBodies) Quota(ctx context.Context, c *account.Caller) (any, error) {
	usage, err := b.a.meUsage(ctx, c.Account)
	return quotaAnswer{true, c.Account.Plan.Name, usage}, err
}

// Send implements [mcp.Inbox]. The message goes to the address of the conversation, never to the given one, which can be
// another spelling of it.
func (b inboxBodies) Send(ctx context.Context, c *account.Caller, m *mcp.Message) (any, error) {
	conversation, err := b.a.o.Inbox.ConversationWith(ctx, c, m.To)
	if err != nil {
		if errors.Is(err, apierror.ConversationNotFound.Err()) {
			err = apierror.ConversationNotFound.On("to").Detailf("No one with this phone number or WhatsApp ID has written to this account, so an assistant can't send to them.")
		}
		if _, refused := errors.AsType[*apierror.Error](err); !refused {
			return nil, err
		}
		// A repeated key is answered first.
		out, _, err := b.a.submit(ctx, c, &message.Request{
			Channel: m.Channel, To: m.To, Content: message.Content{Text: m.Text}, IdempotencyKey: m.IdempotencyKey, Source: message.SourceMCP, Sandbox: isSimulated(ctx),
			Wrong: cmp.Or(m.Wrong, inbox.CheckText(m.Text), err),
		})
		return out, err
	}
	request, err := b.a.o.Inbox.Reply(ctx, c, conversation.ID, m.Text, inbox.ReplyOptions{IdempotencyKey: m.IdempotencyKey, Source: message.SourceMCP, Sandbox: isSimulated(ctx), Wrong: m.Wrong})
	if err != nil {
		return nil, err
	}
	if m.Channel != gateway.WhatsApp {
		request.Channel, request.SenderID = m.Channel, ""
	}
	out, _, err := b.a.submit(ctx, c, request)
	return out, err
}

// ownOrigin makes a route of the assistant endpoint check the origin of a request before its method and its key.
func (a *API) ownOrigin(route httpx.Route) httpx.Route {
	route.Handler = a.simulating(a.mcp.OwnOrigin(route.Handler))
	return route
}

// refuseRegistration responds to an assistant that registers as an OAuth client, which many do after a 401.
func refuseRegistration(http.ResponseWriter, *http.Request) error {
	return apierror.NotFound.Err().Detailf("Clients can't register here. The assistant endpoint needs the account's live key as Authorization: Bearer.")
}

func (a *API) refuseMethod(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Allow", http.MethodPost)
	return apierror.MethodNotAllowed.Err()
}
