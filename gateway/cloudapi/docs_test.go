package cloudapi

import (
	"testing"

	"example.com/griot/gateway/internal/peertest"
)

func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.CheckDocs[settings](t, "../../docs/gateways/cloudapi.md", 40)
}
