package whatsappid_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 128)
	for s, want := range map[string]struct {
		linked, parent bool
		short, masked  string
	}{
		"ML.9001":                  {short: "ML.9001", masked: "ML.***01"},
		"BR.1A2b3C4d5E6f":          {short: "BR.…5E6f", masked: "BR.***6f"},
		"US.ENT.11815799212886":    {parent: true, short: "US.ENT.…2886", masked: "US.***86"},
		"AR." + long:               {short: "AR.…aaaa", masked: "AR.***aa"},
		"AR.ENT." + long:           {parent: true, short: "AR.ENT.…aaaa", masked: "AR.***aa"},
		"ML.1":                     {short: "ML.1", masked: "ML.***"},
		"ML.ENT":                   {short: "ML.ENT", masked: "ML.***"},
		"123456789012345@lid":      {linked: true, short: "…2345@lid", masked: "***45@lid"},
		"12345@lid":                {linked: true, short: "12345@lid", masked: "***"},
		"1@lid":                    {linked: true, short: "1@lid", masked: "***"},
		"98765432109876543210@lid": {linked: true, short: "…3210@lid", masked: "***10@lid"},
	} {
		id, ok := whatsappid.Parse(s)
		if !ok || string(id) != s {
			t.Errorf("%q: %q, %v, want it unchanged", s, id, ok)
			continue
		}
		if id.Linked() != want.linked || id.Parent() != want.parent || id.Short() != want.short || id.Masked() != want.masked {
			t.Errorf("%q: linked %v, parent %v, short %q, masked %q, want %+v", s, id.Linked(), id.Parent(), id.Short(), id.Masked(), want)
		}
		if _, isNumber := phone.Parse(s); isNumber {
			t.Errorf("%q is also a number", s)
		}
	}
	for _, s := range []string{
		"", "ML.", "ML.ENT.", "ml.9001", "MLI.9001", "M.9001", "ML9001", "ML.90 01", " ML.9001", "ML.9001 ", "ML.9_01", "ML.é", "ML." + long + "a", "ML.ENT." + long + "a", "ML.ENT.ENT.1",
		"22376000001", "+22376000001", "22376000001@s.whatsapp.net", "@lid", "0123@lid", "12:3@lid", "12a@lid", "123456789012345678901@lid", "123@LID", "awa@example.com", "awa.t", "@awa",
	} {
		if id, ok := whatsappid.Parse(s); ok {
			t.Errorf("%q is taken as the ID %q", s, id)
		}
	}
}

// A parsed ID is the given text, and is never a number. Its short and masked forms are no longer than needed.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"ML.9001", "US.ENT.1", "1@lid", "22376000001", "ML.", "@lid"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := whatsappid.Parse(s)
		if !ok {
			return
		}
		if string(id) != s || len(id) > whatsappid.MaxLength {
			t.Errorf("%q: %q", s, id)
		}
		if _, isNumber := phone.Parse(s); isNumber {
			t.Errorf("%q is also a number", s)
		}
		if id.Short() == "" || id.Masked() == s {
			t.Errorf("%q: short %q, masked %q", s, id.Short(), id.Masked())
		}
	})
}
