package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
)

// Path is where the endpoint is.
const Path = "/mcp"

// MaxBody is the largest body, in bytes: a reply of 4096 characters fits, however it is escaped.
const MaxBody = 128 << 10 // M151

// versionHeader names the protocol's version in every request but the first.
const versionHeader = "Mcp-Protocol-Version"

// versions are the protocol's that this server speaks, newest first.
func versions() []string { return []string{"2025-11-25", "2025-06-18"} }

// Options configure the endpoint.
type Options struct {
	Origin string // the service's own; pages of any other are refused
	Inbox  Inbox

	// ErrorBody is the body with which the HTTP interface answers an error.
	ErrorBody func(w http.ResponseWriter, r *http.Request, err error) any
}

// Inbox does what the tools are called for. Each method returns the body with which the HTTP interface answers the same
// request, or its error.
type Inbox interface {
	Conversations(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error)
	Messages(ctx context.Context, c *account.Caller, conversationID string, q *inbox.Query) (any, error)
	Reply(ctx context.Context, c *account.Caller, conversationID, text string, o inbox.ReplyOptions) (any, error) // of o, Source and Sandbox are not set
	MarkRead(ctx context.Context, c *account.Caller, conversationID string) (any, error)
}

// Server is the endpoint.
type Server struct {
	o       Options
	tools   []tool
	listing json.RawMessage // what tools/list answers
}

// New returns the endpoint.
func New(o Options) *Server {
	s := &Server{o: o}
	s.tools = s.makeTools()
	s.listing = encode(map[string]any{"tools": s.tools})
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

// Serve answers a POST of a caller. Its errors are those of the HTTP interface.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if httpx.MediaType(r) != httpx.TypeJSON {
		return fault.UnsupportedMediaType.Err()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			answer(w, http.StatusRequestEntityTooLarge, nil, nil, &rpcError{Code: codeInvalid, Message: "Invalid Request: the body is larger than 128 KiB."})
			return nil
		}
		return fault.InvalidJSON.Because(err)
	}
	asked, wrong := parse(body)
	if wrong == nil {
		wrong = checkVersion(r, asked.method)
	}
	switch {
	case wrong != nil:
		answer(w, http.StatusBadRequest, asked.id, nil, wrong)
	case asked.id == nil: // accepted, and nothing to be done: this server has no state
		w.WriteHeader(http.StatusAccepted)
	default:
		result, wrong := s.dispatch(w, r, c, &asked)
		answer(w, http.StatusOK, asked.id, result, wrong)
	}
	return nil
}

// checkVersion checks the version's header, which initialize has not.
func checkVersion(r *http.Request, method string) *rpcError {
	v := r.Header.Get(versionHeader)
	if v == "" || method == "initialize" || slices.Contains(versions(), v) {
		return nil
	}
	const longest = 32
	if len(v) > longest { // clients want it back; nobody wants more back than a version
		v = v[:longest]
	}
	return &rpcError{Code: codeVersion, Message: "Unsupported protocol version", Data: map[string]any{"supported": versions(), "requested": v}}
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null when it could not be read
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

func answer(w http.ResponseWriter, status int, id json.RawMessage, result any, wrong *rpcError) {
	httpx.WriteJSONBytes(w, status, encode(response{Version: "2.0", ID: id, Result: result, Error: wrong}))
}
