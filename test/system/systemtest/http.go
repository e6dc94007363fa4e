package systemtest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A Reply is a response, with its body decoded if it is a JSON object.
type Reply struct {
	Status int
	Header http.Header
	Body   map[string]any
	Raw    string
}

// Call makes a request and reads its JSON response. headers are "Name: value".
func Call(method, url, body string, headers ...string) (*Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	r := &Reply{Status: res.StatusCode, Header: res.Header, Raw: string(b)}
	_ = json.Unmarshal(b, &r.Body)
	return r, nil
}

// Text returns a string field of the body.
func (r *Reply) Text(member string) string {
	s, _ := r.Body[member].(string)
	return s
}

// Metric returns the value of a metric in the response to a scrape; -1 if it is missing.
func Metric(t *testing.T, url, metric string) float64 {
	t.Helper()
	r, err := Call("GET", url+"/metrics", "")
	if err != nil || r.Status != http.StatusOK {
		t.Fatalf("metrics: %v, %d", err, r.Status)
	}
	for line := range strings.Lines(r.Raw) {
		if value, ok := strings.CutPrefix(line, metric+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return -1
}
