package phone_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/phone"
)

// forms are the names of the forms in the tests.
var forms = map[string]phone.SenderForm{"": phone.FormUnknown, "international": phone.FormInternational, "national": phone.FormNational}

// Rules: M195.
func TestRegion_Sender(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ home, form, in, want string }{
		// Without a country, only digits that can be an international number are one.
		{"", "", "22370112233", "+22370112233"},
		{"", "", " 22370112233", "+22370112233"}, // a plus that wasn't escaped
		{"", "", "+22370112233", "+22370112233"},
		{"", "", "0022370112233", "+22370112233"},
		{"", "", "tel:+22370112233", "+22370112233"},
		{"", "", "+223 70-11 (22) 33", "+22370112233"},
		{"", "", "12025550123", "+12025550123"},
		{"", "", "4915112345678", "+4915112345678"},
		{"", "", "447911123456", "+447911123456"},
		{"", "", "22300000001", "+22300000001"},
		{"", "", "+2237011223344", "+2237011223344"}, // a length that is new in the country
		{"", "", "70112233", ""},
		{"", "", "4155552671", ""},
		{"", "", "0612345678", ""},
		{"", "", "2237011223", ""},
		{"", "", "99912345678", ""}, // nobody's calling code
		{"", "", "36111", ""},
		{"", "", "123", ""},
		{"", "", "Orange", ""},
		{"", "", "ML 70112233", ""},
		{"", "", "+Orange", ""},
		{"", "", "++22370112233", ""},
		{"", "", "00", ""},
		{"", "", "", ""},
		// The label decides.
		{"", "international", "22370112233", "+22370112233"},
		{"", "international", "2237011223344", "+2237011223344"},
		{"", "international", "70112233", "+70112233"},
		{"", "international", "0022370112233", "+22370112233"},
		{"", "international", "36111", ""},
		{"", "national", "70112233", ""},
		{"", "national", "22370112233", ""},
		{"", "national", "+22370112233", "+22370112233"},
		{"", "national", "0022370112233", "+22370112233"},
		// A country completes national numbers.
		{"223", "national", "70112233", "+22370112233"},
		{"223", "national", "070112233", "+22370112233"},
		{"223", "national", "22370112233", "+22370112233"},
		{"223", "national", "0022370112233", "+22370112233"},
		{"223", "national", "33612345678", ""},
		{"223", "national", "7011223", ""},
		{"223", "national", "36111", ""},
		{"223", "", "70112233", "+22370112233"},
		{"223", "", "22370112233", "+22370112233"},
		{"223", "", "33612345678", "+33612345678"},
		{"223", "", "36111", ""},
		{"223", "", "Orange", ""},
		{"223", "", "95123456", "+22395123456"}, // in Myanmar, only landlines have six digits
		{"223", "", "49123456", "+22349123456"},
		{"223", "", "50012345", ""}, // also a mobile number of the Falkland Islands
		{"223", "national", "50012345", "+22350012345"},
		{"223", "international", "50012345", "+50012345"},
		{"33", "", "0612345678", "+33612345678"},
		{"33", "", "612345678", "+33612345678"},
		{"33", "", "33612345678", "+33612345678"},
		{"33", "", "330612345678", "+33612345678"},
		{"33", "", "22370112233", "+22370112233"},
		{"225", "national", "0701020304", "+2250701020304"}, // its zero is part of the number
		{"225", "", "0701020304", "+2250701020304"},
		{"225", "", "2250701020304", "+2250701020304"},
		{"225", "national", "701020304", ""},
		{"39", "national", "0612345678", "+390612345678"},
		{"49", "national", "015112345678", "+4915112345678"},
		{"49", "", "015112345678", "+4915112345678"},
		{"49", "", "4915112345678", "+4915112345678"},
		{"49", "", "33612345678", ""}, // Germany's numbers have any length
		{"1", "", "4155552671", "+14155552671"},
		{"1", "", "14155552671", "+14155552671"},
		{"1", "", "1-415-555-2671", "+14155552671"},
		{"1", "", "447911123456", "+447911123456"},
		{"1", "", "6512345678", ""}, // Minnesota or Singapore
		{"1", "national", "6512345678", "+16512345678"},
		{"1", "", "01122370112233", "+22370112233"},
		{"1876", "national", "5551234", "+18765551234"},
		{"1876", "", "18765551234", "+18765551234"},
		{"7", "national", "89161234567", "+79161234567"},
		{"7", "", "9161234567", "+79161234567"}, // India's mobile numbers are longer
		{"7", "national", "9161234567", "+79161234567"},
	} {
		home, ok := phone.ParseHome(tt.home)
		if ok != (tt.home != "") {
			t.Fatalf("%s is a country: %v", tt.home, ok)
		}
		got := ""
		n, ok := home.Sender(tt.in, forms[tt.form])
		if ok {
			got = n.E164()
		}
		if got != tt.want || !ok && n != "" {
			t.Errorf("country %q, form %q: %q is read as %q, want %q", tt.home, tt.form, tt.in, got, tt.want)
		}
	}
}

func TestParseHome(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"223": true, "1": true, "44": true, "1876": true, "7": true, "7700": true,
		"": false, "+223": false, "0223": false, "999": false, "22": false, "ML": false, "18765": false, "22a": false, "2 3": false,
	} {
		if _, got := phone.ParseHome(code); got != want {
			t.Errorf("%q: %v, want %v", code, got, want)
		}
	}
}

// A number has the digits that came, perhaps with the country before them and without a prefix.
func FuzzRegion_Sender(f *testing.F) {
	for _, s := range []string{"70112233", "0612345678", "+44 (0)7911 123456", "0022370112233", "tel:+1", "Orange", "36111", "\u202a٧٠١١٢٢٣٣", "00(0)1"} {
		f.Add("223", s, byte(0))
		f.Add("1876", s, byte(1))
		f.Add("", s, byte(2))
	}
	f.Fuzz(func(t *testing.T, code, s string, form byte) {
		home, isHome := phone.ParseHome(code)
		n, ok := home.Sender(s, phone.SenderForm(form%3))
		if !ok {
			return
		}
		if parsed, valid := phone.Parse(string(n)); !valid || parsed != n {
			t.Fatalf("%+q: %q is no number", s, n)
		}
		digits := strings.Trim(phone.Unformatted(strings.TrimPrefix(strings.TrimSpace(s), "tel:")), "+")
		if !isHome && form%3 == 0 && digits[0] >= '1' && !strings.HasPrefix(strings.TrimSpace(s), "+") && !n.Possible() && !strings.Contains(phone.Unformatted(s), "+") {
			t.Errorf("%+q is read as %q, whose length is impossible", s, n)
		}
		for i := 0; ; i++ { // without its first digits, the text is the end of the number
			if i == len(digits) {
				t.Fatalf("%+q is read as %q", s, n)
			}
			if strings.HasSuffix(string(n), digits[i:]) {
				if len(digits)-i < 4 {
					t.Errorf("%+q is read as %q: only %d digits are the same", s, n, len(digits)-i)
				}
				break
			}
		}
	})
}

// An address of a local sender is never a number, and is shown as it came.
func TestLocal(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"70112233", "36111", "Orange", "local:1", "a@b"} {
		address := phone.Local(s)
		if got, ok := phone.CutLocal(address); !ok || got != s || phone.Shown(address) != s {
			t.Errorf("%q: %q, %v, shown as %q", s, got, ok, phone.Shown(address))
		}
		if _, ok := phone.Parse(address); ok {
			t.Errorf("%q is a number", address)
		}
	}
	for _, s := range []string{"", "local:", "22370112233", "+22370112233", "a@b"} {
		if _, ok := phone.CutLocal(s); ok {
			t.Errorf("%q is a local sender", s)
		}
	}
}
