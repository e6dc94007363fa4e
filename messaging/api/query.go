package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

// query parses a request's parameters. An empty parameter is treated as missing. A parameter of only spaces is
// refused, because it would match nothing or everything.
func query(r *http.Request) (url.Values, error) {
	q, err := httpx.ParseQuery(r.URL.RawQuery, plusParameters()...)
	if err != nil {
		return nil, apierror.InvalidRequest.Err().Detailf("The parameters of the address are malformed.")
	}
	for name, texts := range q {
		q[name] = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
		for _, s := range q[name] {
			if slices.Contains(plusParameters(), name) {
				s = strings.ReplaceAll(s, "+", " ") // a value of only + is one of only spaces
			}
			if strings.TrimSpace(s) != "" {
				continue
			}
			e := apierror.InvalidRequest.Err()
			if slices.Contains(parameters(), name) {
				e.Field = name
			}
			return nil, e.Detailf("A parameter contains only spaces.")
		}
		if len(q[name]) == 0 {
			delete(q, name)
		}
	}
	return q, nil
}

// plusParameters returns the parameters in which + is a plus sign, because they contain times, phone numbers, or email addresses.
func plusParameters() []string {
	return []string{"to", "since", "until", "from", "address", "actor"}
}

// parameters returns the parameters that errors can name.
func parameters() []string {
	return []string{"limit", "cursor", "status", "channel", "to", "since", "projectId", "sample", "q", "delivery", "action", "until", "senderId", "source", "from", "step", "address"}
}
