package gateway_test

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
)

func TestCheckRef(t *testing.T) {
	t.Parallel()
	for ref, ok := range map[string]bool{
		"msg_01-2": true, strings.Repeat("A9", 18): true,
		"": false, "msg 1": false, "msg/1": false, "é": false, "a\n": false, strings.Repeat("a", 37): false,
	} {
		failure := (&gateway.Outbound{Ref: ref}).CheckRef(36)
		if (failure == nil) != ok || failure != nil && (failure.Class != gateway.Permanent || failure.Code != "reference_invalid") {
			t.Errorf("%q: got %v, want it accepted: %v", ref, failure, ok)
		}
	}
}

// The ID is the same in all versions, so that a repeated message is recognized.
func TestDeriveID(t *testing.T) {
	t.Parallel()
	if got, want := gateway.DeriveID("a", "bc"), "5310a58788781ab25d5ad7c3f8503582"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if gateway.DeriveID("a", "bc") == gateway.DeriveID("ab", "c") {
		t.Error("other parts have the same id")
	}
}
