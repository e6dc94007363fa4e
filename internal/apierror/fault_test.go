package apierror_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"example.com/griot/internal/apierror"
)

// Rules: L137, M161.
func TestCatalogue_CodesAreUniqueWithinAServiceAndStatus(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	words := map[string]bool{"invalid_request": true, "invalid_client": true, "invalid_grant": true, "access_denied": true}
	seen := map[string]bool{}
	for _, k := range append(apierror.AuthKinds(), apierror.MessagingKinds()...) {
		key := fmt.Sprint(k.Service, k.Code, k.Status)
		if seen[key] || !form.MatchString(k.Code) || k.Text == "" || k.Fix == "" || k.Status < 400 {
			t.Errorf("bad or doubled line: %+v", k)
		}
		if (k.Service == apierror.Auth) != words[k.OAuth] {
			t.Errorf("%s: error member %q", k.Code, k.OAuth)
		}
		seen[key] = true
	}
}

// Rules: L137.
func TestDocument_IsMadeFromTheCatalogue(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("../../docs/errors.md")
	if err != nil || string(got) != apierror.Markdown() {
		t.Fatalf("docs/errors.md is not what the catalog says (%v): run make generate", err)
	}
}

func TestError_KeepsItsKindThroughWrapping(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk")
	err := fmt.Errorf("send: %w", apierror.StorageUnavailable.Because(cause))
	if !errors.Is(err, apierror.StorageUnavailable.Err()) || errors.Is(err, apierror.Internal.Err()) || !errors.Is(err, cause) {
		t.Error("kind or cause lost")
	}
	if got := apierror.As(cause, apierror.Internal); got.Kind != apierror.Internal || !errors.Is(got, cause) {
		t.Errorf("fallback: %v", got)
	}
}
