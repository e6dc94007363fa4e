package account_test

import (
	"testing"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// An address that messages accept is stored in one form. Normalizing the form again, or another spelling, gives the same result.
func FuzzNormalEmail(f *testing.F) {
	for _, email := range []string{"Awa@Example.com", " awa@bücher.example\t", "awa+a@xn--bcher-kva.example", `"a b"@example.com`, "e\u0301@e\u0301.example", "\u2126@\u212a.example", "a@b..c"} {
		f.Add(email)
	}
	f.Fuzz(func(t *testing.T, email string) {
		normal := account.NormalEmail(email)
		if again := account.NormalEmail(normal); again != normal {
			t.Errorf("%+q: %+q, read again %+q", email, normal, again)
		}
		if spaced := account.NormalEmail("\t\u00a0" + email + "\u2003\n"); spaced != normal {
			t.Errorf("%+q: %+q, with spaces around it %+q", email, normal, spaced)
		}
		if !message.IsEmail(email) {
			return
		}
		if len(normal) <= 200 && !message.IsEmail(normal) {
			t.Errorf("%+q is an address, its form %+q isn't", email, normal)
		}
	})
}
