package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestAskPasskey(t *testing.T) {
	for name, tt := range map[string]struct {
		typed, want string
		err         error
	}{
		"a response":            {`{"id":"AQID"}` + "\n", `{"id":"AQID"}`, nil},
		"quoted by the console": {`'{"id":"AQID"}'` + "\r\n", `{"id":"AQID"}`, nil},
		"without an end":        {`{"id":"AQID"}`, `{"id":"AQID"}`, nil},
		"Enter":                 {"\n", "", io.ErrUnexpectedEOF},
		"no terminal":           {"", "", io.ErrUnexpectedEOF},
	} {
		var out strings.Builder
		got, err := askPasskey(t.Context(), []byte(`{"challenge":"AAAA"}`), strings.NewReader(tt.typed), &out)
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v, want %q, %v", name, got, err, tt.want, tt.err)
		}
		if !strings.Contains(out.String(), `parseRequestOptionsFromJSON({"challenge":"AAAA"})`) {
			t.Errorf("%s: it says %s, want the line for the browser", name, out.String())
		}
	}
	silent, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := askPasskey(ctx, nil, silent, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v, want %v", err, context.Canceled)
	}
}
