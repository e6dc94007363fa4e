package api

import (
	"context"
	"net/http"
	"strings"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mcp"
	"example.com/griot/messaging/message"
)

// assistant makes the assistant endpoint of the inbox's functions.
func (a *API) assistant() *mcp.Server {
	own, _ := httpx.ParseOwn(a.o.URL) // without an address of its own it has no page either
	return mcp.New(mcp.Options{
		Origin: own.URL, Caller: a.assistantCaller, Fail: a.http.Fail,
		ErrorBody: func(w http.ResponseWriter, r *http.Request, err error) any {
			return a.errorBody(w, a.http.ErrorFor(w, r, err))
		},
		Conversations: func(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error) {
			return a.listConversations(ctx, c, q)
		},
		Messages: func(ctx context.Context, c *account.Caller, id string, q *inbox.Query) (any, error) {
			return a.readConversation(ctx, c, id, q)
		},
		Reply: func(ctx context.Context, c *account.Caller, id, words string, o inbox.ReplyOptions) (any, error) {
			o.Source, o.Sandbox = message.SourceMCP, isSimulated(ctx)
			out, _, err := a.answerConversation(ctx, c, id, words, o)
			return out, err
		},
		MarkRead: func(ctx context.Context, c *account.Caller, id string) (any, error) {
			return a.markConversation(ctx, c, id)
		},
	})
}

// realm makes the challenge name the service. It names no authorization server: there is none for this endpoint.
const realm = `Bearer realm="griot"`

// assistantCaller resolves the account's live key, which comes in one Authorization
// header and in no other way.
func (a *API) assistantCaller(w http.ResponseWriter, r *http.Request) (*account.Caller, error) {
	w.Header().Set("WWW-Authenticate", realm)
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return nil, fault.Unauthorized.Err().Detailf("Send the account's live key in one Authorization: Bearer header.")
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if key = strings.TrimSpace(key); !strings.EqualFold(scheme, "Bearer") || key == "" {
		return nil, fault.Unauthorized.Err().Detailf("Send the account's live key in one Authorization: Bearer header.")
	}
	c, err := a.o.Directory.Authenticate(r.Context(), key)
	switch {
	case err != nil:
		w.Header().Del("WWW-Authenticate")
		return nil, err
	case c == nil:
		return nil, fault.Unauthorized.Err()
	case !c.Owner():
		return nil, fault.Unauthorized.Err().Detailf("Test and project keys have no access to this endpoint: send the account's live key.")
	}
	w.Header().Del("WWW-Authenticate")
	if err := a.limitRate(w, c); err != nil {
		return nil, err
	}
	return c, inboxPlan(c)
}
