package verb

import (
	"log/slog"
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/seal"
)

// Path is the path of the verbs on the internal listener.
const Path = "/internal/admin/"

// answer is the body of every response. It has one of the two fields.
type answer struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// kinds returns errors for the operator, which are therefore in no service's catalog.
func kinds() httpx.Kinds {
	kind := func(code string, status int, text string) *apierror.Kind {
		return &apierror.Kind{Code: code, Status: status, Text: text}
	}
	malformed := kind("malformed", http.StatusBadRequest, "The body isn't a JSON object in UTF-8.")
	return httpx.Kinds{
		JSON: malformed, Member: malformed, MediaType: malformed,
		TooLarge:    kind("too_large", http.StatusRequestEntityTooLarge, "The body is too large."),
		NotFound:    kind("no_such_verb", http.StatusNotFound, "The server doesn't know this command. Check whether it runs another version."),
		Method:      kind("method", http.StatusMethodNotAllowed, "Send commands with POST."),
		Internal:    kind("internal", http.StatusInternalServerError, "The server failed. Its log shows the reason."),
		Unavailable: kind("unavailable", http.StatusServiceUnavailable, "The server's database doesn't respond."),
	}
}

type server struct {
	*httpx.API
	verbs Verbs
	key   *seal.Key
	want  string // the expected bearer
}

// Handler serves [Path]. It is only for the internal listener.
func Handler(verbs Verbs, key *seal.Key, now clock.Now, log *slog.Logger) http.Handler {
	s := &server{API: &httpx.API{Kinds: kinds(), Log: log, Now: now}, verbs: verbs, key: key, want: bearer(key)}
	s.Write = func(w http.ResponseWriter, _ *http.Request, e *apierror.Error) {
		if err := httpx.WriteJSON(w, e.Kind.Status, answer{Error: e.Text()}); err != nil {
			log.Error("error body failed", "err", err)
		}
	}
	const masterKey = httpx.Callers("who has the master key, on this machine")
	return s.API.Handler([]httpx.Route{
		{Method: "POST", Path: helloPath, Access: httpx.Callers("programs on this machine"), Handler: httpx.Call(s.API, http.StatusOK, s.hello)},
		{Method: "GET", Path: Path + "{$}", Access: masterKey, Handler: s.Handle(s.list)},
		{Method: "POST", Path: Path + "{verb}", Access: masterKey, Handler: s.Handle(s.run)},
	})
}

// hello proves to a client that this server has the key.
func (s *server) hello(r *http.Request, in *helloRequest) (answer, error) {
	if err := local(r); err != nil {
		return answer{}, err
	}
	return answer{Result: helloResponse{Proof: proof(s.key, in.Nonce), Key: s.key.Name()}}, nil
}

// listed is a verb in the list of verbs.
type listed struct {
	Name    string         `json:"name"`
	Help    string         `json:"help"`
	Danger  string         `json:"danger"` // reads, changes, deletes
	Command string         `json:"command,omitempty"`
	Input   map[string]any `json:"input"` // a JSON schema
}

// list lists the verbs.
func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	if err := s.authorized(r); err != nil {
		return err
	}
	out := make([]listed, 0, len(s.verbs))
	for _, v := range s.verbs {
		out = append(out, listed{v.Name, v.Help, map[Danger]string{Reads: "reads", Changes: "changes", Deletes: "deletes"}[v.Danger], v.Command, schema(v.In)})
	}
	return httpx.WriteJSON(w, http.StatusOK, answer{Result: out})
}

// authorized refuses requests that are not from this machine or without the master key.
func (s *server) authorized(r *http.Request) error {
	err := local(r)
	if err == nil && !seal.Equal(r.Header.Get("Authorization"), s.want) {
		err = (&apierror.Kind{Code: "wrong_key", Status: http.StatusUnauthorized, Text: "The master key doesn't match the server's key."}).Err()
	}
	return err
}

func (s *server) run(w http.ResponseWriter, r *http.Request) error {
	if err := s.authorized(r); err != nil {
		return err
	}
	body, err := s.ReadBody(w, r)
	if err != nil {
		return err
	}
	if err := s.DecodeBytes(body, &map[string]any{}); err != nil {
		return err
	}
	verb := r.PathValue("verb")
	result, err := s.verbs.Call(r.Context(), verb, body)
	if err != nil {
		return err
	}
	s.Log.Info("admin", "verb", verb, "requestId", httpx.RequestID(w)) // logs only names that the table contains
	return httpx.WriteJSON(w, http.StatusOK, answer{Result: result})
}

// local refuses requests that are not from this machine or are from a browser.
func local(r *http.Request) error {
	if !httpx.DirectLoopback(r) || httpx.ForeignOrigin(r, "") {
		return (&apierror.Kind{Code: "not_loopback", Status: http.StatusForbidden, Text: "Only programs on the server's machine can send this request, without a proxy."}).Err()
	}
	return nil
}
