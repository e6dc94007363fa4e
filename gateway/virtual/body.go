package virtual

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/griot/internal/strictjson"
)

const bodyMaxSize = 64 << 10

// readBody reads the whole body of a request.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMaxSize))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, &problem{http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than 64 kB."}
		}
		return nil, badRequest("invalid_body", "The body ended too early.")
	}
	return body, nil
}

// decodeNothing accepts an empty body and an object without fields.
func decodeNothing(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	return decode(body, nil)
}

// decode decodes one JSON object into the pointers of into, by name. Other, repeated, and differently spelled fields are errors.
func decode(body []byte, into map[string]any) error {
	what := "The body has to be one JSON object without fields."
	if len(into) > 0 {
		what = "The body has to be one JSON object with no fields other than: " + strings.Join(slices.Sorted(maps.Keys(into)), ", ") + "."
	}
	bad := badRequest("invalid_json", what)
	var members map[string]json.RawMessage
	if strictjson.Unmarshal(body, &members) != nil || members == nil {
		return bad
	}
	for name := range members {
		if _, known := into[name]; !known {
			return bad
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		target := into[name]
		if strictjson.Unmarshal(members[name], target) != nil {
			return badRequest("invalid_json", "The member "+name+" has no value of its type.")
		}
		if s, ok := target.(*string); ok && strings.ContainsRune(*s, 0) {
			return badRequest("invalid_json", "The member "+name+" holds a U+0000.")
		}
	}
	return nil
}
