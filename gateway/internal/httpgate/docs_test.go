package httpgate

import (
	"reflect"
	"slices"
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

// The page of httpsms documents this package. It contains every setting and every returned code.
func TestDocs(t *testing.T) {
	t.Parallel()
	names := receiptFields()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Settings](), reflect.TypeFor[value](), reflect.TypeFor[basicLogin](), reflect.TypeFor[oauthLogin](), reflect.TypeFor[probe](),
		reflect.TypeFor[locator](), reflect.TypeFor[rule](), reflect.TypeFor[errorRule](), reflect.TypeFor[WebhookSettings](), reflect.TypeFor[auth](),
	} {
		names = append(names, peertest.Members(typ)...)
	}
	names = append(names, peertest.Codes(t, "*.go", "../httpcall/outcome.go", "../../check.go", "../../ids.go")...)
	if !slices.Contains(names, "bounced") || !slices.Contains(names, "tls_failed") {
		t.Fatalf("found only %q", names)
	}
	peertest.CheckNames(t, "../../../docs/gateways/httpsms.md", names, 100)
}
