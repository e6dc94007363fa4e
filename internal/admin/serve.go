package admin

import (
	"encoding/base64"
	"log/slog"
	"net/http"

	"griot/internal/clock"
	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/internal/seal"
)

// Path is where the verbs are on the internal listener.
const Path = "/internal/admin/"

// bearer returns what a request shows that comes from who has the master key.
func bearer(key *seal.Key) string {
	return "Bearer " + base64.RawURLEncoding.EncodeToString(key.Derive("admin"))
}

// answer is the body of every answer: one of the two.
type answer struct {
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

// kinds are said to the operator, and so are in no house's catalogue.
func kinds() httpx.Kinds {
	kind := func(code string, status int, text string) *fault.Kind {
		return &fault.Kind{Code: code, Status: status, Text: text}
	}
	malformed := kind("malformed", http.StatusBadRequest, "The body is not a JSON object in UTF-8.")
	return httpx.Kinds{
		JSON: malformed, Member: malformed, MediaType: malformed,
		TooLarge:    kind("too_large", http.StatusRequestEntityTooLarge, "The body is too large."),
		NotFound:    kind("no_such_verb", http.StatusNotFound, "The server does not know this command: is it of another version?"),
		Method:      kind("method", http.StatusMethodNotAllowed, "Commands are sent by POST."),
		Internal:    kind("internal", http.StatusInternalServerError, "The server failed; its log says why."),
		Unavailable: kind("unavailable", http.StatusServiceUnavailable, "The server's database does not answer."),
	}
}

// Handler answers at [Path]; it is for the internal listener only.
func Handler(verbs Verbs, key *seal.Key, now clock.Now, log *slog.Logger) http.Handler {
	want := bearer(key)
	a := &httpx.API{Kinds: kinds(), Log: log, Now: now}
	a.Write = func(w http.ResponseWriter, _ *http.Request, e *fault.Error) {
		if err := httpx.WriteJSON(w, e.Kind.Status, answer{Error: e.Text()}); err != nil {
			log.Error("error body failed", "err", err)
		}
	}
	return a.Handler([]httpx.Route{{Method: "POST", Path: Path + "{verb}", Handler: a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		if err := admit(r, want); err != nil {
			return err
		}
		body, err := a.ReadBody(w, r)
		if err != nil {
			return err
		}
		if err := a.DecodeBytes(body, &map[string]any{}); err != nil {
			return err
		}
		verb := r.PathValue("verb")
		if verbs[verb] == nil {
			return a.Kinds.NotFound.Err()
		}
		result, err := verbs.Call(r.Context(), verb, body)
		if err != nil {
			return err
		}
		log.Info("admin", "verb", verb, "requestId", httpx.RequestID(w)) // only names that the table has
		return httpx.WriteJSON(w, http.StatusOK, answer{Result: result})
	})}})
}

// admit lets in who is on this machine, is no browser, and has the key.
func admit(r *http.Request, want string) error {
	if !httpx.DirectLoopback(r) || httpx.ForeignOrigin(r, "") {
		return (&fault.Kind{Code: "not_loopback", Status: http.StatusForbidden, Text: "Only programs on the server's own machine may ask, and not through a proxy."}).Err()
	}
	if !seal.Equal(r.Header.Get("Authorization"), want) {
		return (&fault.Kind{Code: "wrong_key", Status: http.StatusUnauthorized, Text: "The master key is not the server's."}).Err()
	}
	return nil
}
