package smpp

import (
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

// The page names every setting and every error code.
func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.CheckDocs[settings](t, "../../docs/gateways/smpp.md", 50)
}
