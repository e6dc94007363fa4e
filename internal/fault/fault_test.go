package fault_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"example.com/griot/internal/fault"
)

func TestCatalogue_CodesAreUniqueWithinAServiceAndStatus(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	words := map[string]bool{"invalid_request": true, "invalid_client": true, "invalid_grant": true, "access_denied": true}
	seen := map[string]bool{}
	for _, k := range append(fault.AuthKinds(), fault.MessagingKinds()...) {
		key := fmt.Sprint(k.Service, k.Code, k.Status)
		if seen[key] || !form.MatchString(k.Code) || k.Text == "" || k.Fix == "" || k.Status < 400 {
			t.Errorf("bad or doubled line: %+v", k)
		}
		if (k.Service == fault.Auth) != words[k.OAuth] {
			t.Errorf("%s: error member %q", k.Code, k.OAuth)
		}
		seen[key] = true
	}
}

func TestDocument_IsMadeFromTheCatalogue(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("../../docs/errors.md")
	if err != nil || string(got) != fault.Markdown() {
		t.Fatalf("docs/errors.md is not what the catalog says (%v): run make generate", err)
	}
}

func TestError_KeepsItsKindThroughWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk")
	err := fmt.Errorf("send: %w", fault.StorageUnavailable.Because(cause))
	if !errors.Is(err, fault.StorageUnavailable.Err()) || errors.Is(err, fault.Internal.Err()) || !errors.Is(err, cause) {
		t.Error("kind or cause lost")
	}
	if got := fault.As(cause, fault.Internal); got.Kind != fault.Internal || !errors.Is(got, cause) {
		t.Errorf("fallback: %v", got)
	}
}
