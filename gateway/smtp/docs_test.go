package smtp

import (
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

// The page names every setting, and every code that the driver returns.
func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.CheckDocs[settings](t, "../../docs/gateways/smtp.md", 30)
}
