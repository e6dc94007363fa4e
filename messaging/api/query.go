package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/internal/fault"
)

// query reads a request's parameters. An empty one counts as absent. One of spaces alone is refused: it
// would ask for nothing, or for everything.
func query(r *http.Request) (url.Values, error) {
	q := r.URL.Query()
	for name, texts := range q {
		q[name] = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
		for _, s := range q[name] {
			if strings.TrimSpace(s) != "" {
				continue
			}
			e := fault.InvalidRequest.Err()
			if slices.Contains(parameters(), name) {
				e.Field = name
			}
			return nil, e.Detailf("A parameter is spaces alone.")
		}
		if len(q[name]) == 0 {
			delete(q, name)
		}
	}
	return q, nil
}

// parameters are those that errors name.
func parameters() []string {
	return []string{"limit", "cursor", "status", "channel", "to", "since", "projectId", "sample", "q", "delivery", "action", "until", "senderId", "source", "from", "step", "address"}
}
