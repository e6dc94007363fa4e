package message_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/griot/internal/apierror"
	"example.com/griot/messaging/message"
)

// Rules: M18.
func TestCheckEmail(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"awa@example.com", "Awa.Koné@bücher.example", "awa+1@example.co"} {
		if err := message.CheckEmail("to", s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "awa", "awa@example", "Awa <awa@example.com>", "awa@example.com ", "awa@exa mple.com", "a\nwa@example.com", strings.Repeat("a", 250) + "@example.com"} {
		if err := message.CheckEmail("to", s); !errors.Is(err, apierror.InvalidEmail.Err()) {
			t.Errorf("%q: %v, want %v", s, err, apierror.InvalidEmail.Err())
		}
	}
	for s, name := range map[string]string{"awa\u200b@example.com": "U+200B", "awa@exam\u00adple.com": "U+00AD", "\ufeffawa@example.com": "U+FEFF", "awa\u202e@example.com": "U+202E", "awa@example\ufe0f.com": "U+FE0F", "awa\u3164@example.com": "U+3164"} {
		if err := message.CheckEmail("to", s); err == nil || !strings.Contains(apierror.As(err, apierror.InvalidRequest).Text(), name) {
			t.Errorf("%q: %v, want an error that names %s", s, err, name)
		}
	}
}
