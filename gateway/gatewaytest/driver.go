package gatewaytest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// Settings returns a driver's settings in JSON. more overrides fields of members.
func Settings(t testing.TB, members, more map[string]any) json.RawMessage {
	t.Helper()
	all := maps.Clone(members)
	maps.Copy(all, more)
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Open opens a driver and closes it at the end of the test.
func Open[S gateway.Sender](t testing.TB, driver gateway.Driver, env *Environment, settings json.RawMessage) S {
	t.Helper()
	opened, err := driver(settings, env.Deps())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	s, ok := opened.(S)
	if !ok {
		t.Fatalf("the driver opened a %T", opened)
	}
	return s
}

// WantFailure compares the error of a Send or a Probe with "class code ProviderCode". The error must not contain any of
// the private words.
func WantFailure(t testing.TB, err error, want string, private ...string) {
	t.Helper()
	e, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		t.Fatalf("got %v, want a *gateway.Error: %s", err, want)
	}
	if got := strings.TrimSpace(string(e.Class) + " " + e.Code + " " + e.ProviderCode); got != want {
		t.Errorf("got %q, want %q: %v", got, want, err)
	}
	for _, word := range private {
		if strings.Contains(err.Error(), word) {
			t.Errorf("the error repeats %q: %v", word, err)
		}
	}
}

// Call makes a provider's call to a driver's webhook handler and returns the status of the response.
func Call(handler http.Handler, r *http.Request) int {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code
}

// UnreadBody returns a body that fails the test if it is read.
func UnreadBody(t testing.TB) io.Reader { return unreadBody{t} }

type unreadBody struct{ t testing.TB }

func (b unreadBody) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

// CloseDuringSend closes a gateway while its provider delays a response, and returns the error of the Send.
func CloseDuringSend(t testing.TB, s gateway.Sender, hang Hang, out *gateway.Outbound) error {
	t.Helper()
	defer hang.Release()
	result := make(chan error, 1)
	go func() {
		_, err := s.Send(context.Background(), out)
		result <- err
	}()
	waittest.Receive(t, hang.Reached)
	if err := s.Close(); err != nil {
		t.Errorf("Close: got %v, want no error", err)
	}
	return waittest.Receive(t, result)
}

// SendWithin sends a message through a gateway with a short send timeout, to a provider that does not respond in
// time. It returns the error of the Send. On a busy machine, the timeout might end before the provider has the
// message. As long as the error's class shows this, SendWithin sends the message again.
func SendWithin(t testing.TB, s gateway.Sender, out *gateway.Outbound) (err error) {
	t.Helper()
	waittest.Until(t, func() error {
		if _, err = s.Send(t.Context(), out); err != nil && gateway.AsError(err).Class == gateway.Temporary {
			return err
		}
		return nil
	})
	return err
}
