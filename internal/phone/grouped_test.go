package phone_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/phone"
)

func TestGrouped(t *testing.T) {
	for in, want := range map[string]string{
		"22376000001":      "+223 76 00 00 01",
		"+22376000001":     "+223 76 00 00 01",
		"33612345678":      "+33 6 12 34 56 78",
		"12025550123":      "+1 202 555 0123",
		"447911123456":     "+44 7911 123456",
		"221771234567":     "+221 77 123 45 67",
		"2250701020304":    "+225 07 01 02 03 04",
		"2348031234567":    "+234 803 123 4567",
		"8613812345678":    "+86 138 1234 5678",
		"4915123456789012": "4915123456789012",     // no number
		"491512345678901":  "+49 151 234 567 8901", // a length without a rule
		"awa@example.com":  "awa@example.com",
		"36711":            "36711",
		"":                 "",
	} {
		got := phone.Grouped(in)
		if strings.ReplaceAll(got, "\u00a0", " ") != want || strings.Contains(got, " ") {
			t.Errorf("%q: %q, want %q with no-break spaces", in, got, want)
		}
		if _, ok := phone.Parse(in); ok && phone.Contact(got) != phone.Shown(in) {
			t.Errorf("%q pasted is %q, want the number again", got, phone.Contact(got))
		}
	}
}

func TestRegionOf(t *testing.T) {
	for code, want := range map[string]string{"223": "ML", "225": "CI", "33": "FR", "44": "GB", "39": "IT", "1": "", "7": "", "999": "", "": ""} {
		if got := phone.RegionOf(code); got != want {
			t.Errorf("+%s: %q, want %q", code, got, want)
		}
	}
}
