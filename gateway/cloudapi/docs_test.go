package cloudapi

import (
	"testing"

	"griot/gateway/internal/peertest"
)

func TestDocs(t *testing.T) {
	t.Parallel()
	peertest.Documented[settings](t, "../../docs/gateways/cloudapi.md", 40)
}
