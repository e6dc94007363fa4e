package api

import (
	"context"
	"net/http"

	"example.com/griot/internal/fault"
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

// ownOrigin makes a route of the assistant endpoint check the origin of a request before its method and its key.
func (a *API) ownOrigin(route httpx.Route) httpx.Route {
	route.Handler = a.simulating(a.mcp.OwnOrigin(route.Handler))
	return route
}

// refuseRegistration responds to an assistant that registers as an OAuth client, which many do after a 401.
func refuseRegistration(http.ResponseWriter, *http.Request) error {
	return fault.NotFound.Err().Detailf("Clients can't register here. The assistant endpoint needs the account's live key as Authorization: Bearer.")
}

func (a *API) refuseMethod(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Allow", http.MethodPost)
	return fault.MethodNotAllowed.Err()
}
