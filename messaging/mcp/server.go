package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
)

// Path is the path of the endpoint.
const Path = "/mcp"

// MaxBody is the maximum size of a body, in bytes. A reply of 4096 characters fits even if all of them are escaped.
const MaxBody = 128 << 10 // M151

// Options configure the endpoint.
type Options struct {
	Origin  string // the service's own origin; pages of other origins are refused
	Inbox   Inbox
	Version string // of the program. Clients cache the tools by it.

	// ErrorBody returns the error body of the HTTP interface.
	ErrorBody func(w http.ResponseWriter, r *http.Request, err error) any
}

// An Inbox performs the actions of the tools. Each method returns the body of the HTTP interface's response to the
// same request, or its error.
//
// The methods after MarkRead are those of the additional tools.
type Inbox interface {
	Conversations(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error)
	Messages(ctx context.Context, c *account.Caller, conversationID string, q *inbox.Query) (any, error)
	Reply(ctx context.Context, c *account.Caller, conversationID, text string, o inbox.ReplyOptions) (any, error) // Source and Sandbox of o are not set
	MarkRead(ctx context.Context, c *account.Caller, conversationID string) (any, error)

	Search(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error)
	MarkUnread(ctx context.Context, c *account.Caller, conversationID string) (any, error)
	Attachment(ctx context.Context, c *account.Caller, messageID string) (m *inbox.Media, url string, err error)
	Status(ctx context.Context, c *account.Caller, messageID string) (any, error)
	Quota(ctx context.Context, c *account.Caller) (any, error)
	Send(ctx context.Context, c *account.Caller, m *Message) (any, error)
}

// A Message is a message to a person who has written to the account.
type Message struct {
	To             string // a phone number or a WhatsApp ID
	Channel        gateway.Channel
	Text           string
	IdempotencyKey string
	Wrong          error // an error in a value ([message.Request]); nil: none
}

// A Server is the assistant endpoint.
type Server struct {
	o       Options
	all     []tool  // in their order
	usual   toolset // of keys without additional tools
	results results

	mu   sync.Mutex
	sets map[account.Tools]*toolset // of other keys
}

// New returns the assistant endpoint.
func New(o Options) *Server {
	s := &Server{o: o, sets: map[account.Tools]*toolset{}}
	s.all = slices.Concat(s.makeTools(), s.moreTools())
	for i := range s.all {
		s.all[i].names = argumentNames(s.all[i].InputSchema)
	}
	s.results = newResults(o.Version)
	s.usual = s.newToolset(0)
	return s
}

// OwnOrigin refuses requests from pages of other origins.
func (s *Server) OwnOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpx.ForeignOrigin(r, s.o.Origin) {
			answer(w, http.StatusForbidden, nil, nil, &rpcError{Code: codeInvalid, Message: "Invalid Request: pages of other origins have no access."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Serve handles a caller's POST. Its errors are those of the HTTP interface.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if httpx.MediaType(r) != httpx.TypeJSON {
		return apierror.UnsupportedMediaType.Err()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			answer(w, http.StatusRequestEntityTooLarge, nil, nil, &rpcError{Code: codeInvalid, Message: "Invalid Request: the body is larger than 128 KiB."})
			return nil
		}
		return apierror.InvalidJSON.Because(err)
	}
	asked, wrong := parse(body)
	isModern, status := false, http.StatusBadRequest
	if wrong == nil {
		isModern, status, wrong = revisionOf(r.Header, &asked)
	}
	switch {
	case wrong != nil:
		answer(w, status, asked.id, nil, wrong)
	case asked.id == nil: // accepted, but without an effect, because this server has no state
		w.WriteHeader(http.StatusAccepted)
	default:
		result, wrong := s.dispatch(w, r, c, &asked, isModern)
		answer(w, http.StatusOK, asked.id, result, wrong)
	}
	return nil
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null if it could not be parsed
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

func answer(w http.ResponseWriter, status int, id json.RawMessage, result any, wrong *rpcError) {
	httpx.WriteJSONBytes(w, status, encode(response{Version: "2.0", ID: id, Result: result, Error: wrong}))
}
