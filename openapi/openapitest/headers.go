package openapitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// header is a header of responses.
type header struct {
	at       string // the pointer to its schema
	isText   bool   // its value is a JSON string; otherwise a number or a boolean
	required bool
}

// takeHeaders removes the headers from an operation's responses, so that kin leaves them to [document.checkHeaders].
func (d *document) takeHeaders(path, method string, op *openapi3.Operation) {
	for key, r := range op.Responses.Map() {
		if _, known := d.headers[r.Value]; known {
			continue // several operations refer to it
		}
		all := map[string]header{}
		for name, h := range r.Value.Headers {
			at := strings.TrimPrefix(h.Ref, "#")
			if at == "" {
				at = pointer(r.Ref, "paths", path, strings.ToLower(method), "responses", key) + "/headers/" + escaped(name)
			}
			types := h.Value.Schema.Value.Type
			all[name] = header{at + "/schema", types == nil || types.Is(openapi3.TypeString), h.Value.Required}
		}
		d.headers[r.Value], r.Value.Headers = all, nil
	}
}

// checkHeaders returns the problems with the headers of a response, the first one for each header. If the values are
// unchecked, a header must still not be missing.
func (d *document) checkHeaders(described *openapi3.Response, got http.Header, unchecked bool) (problems []string) {
	for name, h := range d.headers[described] {
		values := got.Values(name)
		switch {
		case len(values) == 0 && h.required:
			problems = append(problems, fmt.Sprintf("response header %q missing", name))
		case len(values) > 0 && !unchecked:
			text := []byte(values[0])
			if h.isText {
				text, _ = json.Marshal(values[0]) //nolint:errchkjson // a string
			}
			if err := d.schemas.validate(h.at, text); err != nil {
				problems = append(problems, fmt.Sprintf("response header %q doesn't match its schema: %v", name, err))
			}
		}
	}
	return problems
}
