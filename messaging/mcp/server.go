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

// Path is the path of the endpoint.
const Path = "/mcp"

// MaxBody is the maximum size of a body, in bytes. A reply of 4096 characters fits even if all of them are escaped.
const MaxBody = 128 << 10 // M151

// versionHeader is the header with the protocol version, which every request except the first must have.
const versionHeader = "Mcp-Protocol-Version"

// versions returns the protocol versions that this server supports, newest first.
func versions() []string { return []string{"2025-11-25", "2025-06-18"} }

// Options configure the endpoint.
type Options struct {
	Origin string // the service's own origin; pages of other origins are refused
	Inbox  Inbox

	// ErrorBody returns the error body of the HTTP interface.
	ErrorBody func(w http.ResponseWriter, r *http.Request, err error) any
}

// An Inbox performs the actions of the tools. Each method returns the body of the HTTP interface's response to the
// same request, or its error.
type Inbox interface {
	Conversations(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error)
	Messages(ctx context.Context, c *account.Caller, conversationID string, q *inbox.Query) (any, error)
	Reply(ctx context.Context, c *account.Caller, conversationID, text string, o inbox.ReplyOptions) (any, error) // Source and Sandbox of o are not set
	MarkRead(ctx context.Context, c *account.Caller, conversationID string) (any, error)
}

// A Server is the assistant endpoint.
type Server struct {
	o       Options
	tools   []tool
	listing json.RawMessage // the response to tools/list
}

// New returns the assistant endpoint.
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

// Serve handles a caller's POST. Its errors are those of the HTTP interface.
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
	case asked.id == nil: // accepted, but without an effect, because this server has no state
		w.WriteHeader(http.StatusAccepted)
	default:
		result, wrong := s.dispatch(w, r, c, &asked)
		answer(w, http.StatusOK, asked.id, result, wrong)
	}
	return nil
}

// checkVersion checks the version header, which initialize does not have.
func checkVersion(r *http.Request, method string) *rpcError {
	v := r.Header.Get(versionHeader)
	if v == "" || method == "initialize" || slices.Contains(versions(), v) {
		return nil
	}
	const longest = 32
	if len(v) > longest { // the error repeats the version, but nothing longer than a version
		v = v[:longest]
	}
	return &rpcError{Code: codeVersion, Message: "Unsupported protocol version", Data: map[string]any{"supported": versions(), "requested": v}}
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
