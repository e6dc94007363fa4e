package providertest

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"griot/gateway"
	"griot/gateway/gatewaytest"
)

// Settings returns a driver's settings in JSON; more overrides members.
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

// Open opens a driver, and closes it with the test.
func Open[S gateway.Sender](t testing.TB, driver gateway.Driver, env *gatewaytest.Environment, settings json.RawMessage) S {
	t.Helper()
	opened, err := driver(settings, env.Deps())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	s, ok := opened.(S)
	if !ok {
		t.Fatalf("the driver opened a %T", opened)
	}
	return s
}

// WantFailure compares a failure with "class code providerCode".
func WantFailure(t testing.TB, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", want)
	}
	e := gateway.AsError(err)
	if got := strings.TrimSpace(string(e.Class) + " " + e.Code + " " + e.ProviderCode); got != want {
		t.Errorf("failed with %q, want %q: %v", got, want, err)
	}
}
