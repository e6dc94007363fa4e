package phone_test

import (
	"regexp"
	"testing"

	"example.com/griot/internal/phone"
)

var pattern = regexp.MustCompile(`\A\+?[1-9][0-9]{7,14}\z`)

// Rules: L114, M5.
func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]phone.Number{
		"22370123456": "22370123456", "+22370123456": "22370123456", "12345678": "12345678", "123456789012345": "123456789012345",
		"": "", "+": "", "1234567": "", "1234567890123456": "", "02370123456": "", "++22370123456": "", "2237012345a": "",
		" 22370123456": "", "223 70123456": "", "２２３７０１２３４５６": "", "22370123456\x00": "",
	} {
		got, ok := phone.Parse(in)
		if got != want || ok != (want != "") {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestLong(t *testing.T) {
	t.Parallel()
	for short, long := range map[phone.Number]phone.Number{
		"551187654321": "5511987654321", "5511987654321": "5511987654321", "551133334444": "551133334444",
		"525512345678": "5215512345678", "5215512345678": "5215512345678", "541112345678": "5491112345678", "5491112345678": "5491112345678", "22370000001": "22370000001",
	} {
		if got := short.Long(); got != long {
			t.Errorf("%s: got %s, want %s", short, got, long)
		}
	}
}

func TestMasked_KeepsCountryAndLastThree(t *testing.T) {
	t.Parallel()
	if got := phone.Number("22370123001").Masked(); got != "+223*****001" {
		t.Errorf("got %s", got)
	}
}

func TestShown(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"22370123001": "+22370123001", "+22370123001": "+22370123001", "awa@example.com": "awa@example.com", "36123": "36123", "Boutique": "Boutique", "": "", "12345@g.us": "12345@g.us",
	} {
		if got := phone.Shown(in); got != want {
			t.Errorf("Shown(%q) = %q, want %q", in, got, want)
		}
	}
}

// Rules: L80.
func TestSandbox_IsExactlyTenNumbers(t *testing.T) {
	t.Parallel()
	n := 0
	for i := range 1000 {
		if phone.Number("22300000" + string([]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)})).Sandbox() {
			n++
		}
	}
	if n != 10 || !phone.Number("22300000099").Sandbox() || phone.Number("22300000010").Sandbox() {
		t.Errorf("%d sandbox numbers", n)
	}
}

// Rules: L114.
func FuzzParse(f *testing.F) {
	f.Add("+22370123456")
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := phone.Parse(s); ok != pattern.MatchString(s) {
			t.Fatalf("Parse(%q) ok = %v, the document's pattern says otherwise", s, ok)
		}
	})
}

func TestCountry(t *testing.T) {
	t.Parallel()
	for n, want := range map[phone.Number]string{
		"22376000001": "223", "12025550123": "1", "79001234567": "7", "33612345678": "33", "881612345678": "881", "21261234567": "212", "27821234567": "27",
		"3511234567": "351", "9712345678": "971", "9112345678": "91", "8521234567": "852", "8112345678": "81", "4212345678": "421", "12": "12",
	} {
		if got := n.Country(); got != want {
			t.Errorf("%s: %s, want %s", n, got, want)
		}
	}
}

func TestPossible(t *testing.T) {
	t.Parallel()
	for n, want := range map[phone.Number]bool{
		"22376000001": true, "223760000010": false, "70112233": false, "4155552671": false, "14155552671": true, "5215512345678": true, "525512345678": true, "5491112345678": true, "5511912345678": true,
		"2250707070707": true, "22507070707": true, "225707070707": false, "99912345678": false, "21012345678": false, "80012345678": true, "881612345678": true, "+223760": false, "": false,
	} {
		if got := n.Possible(); got != want {
			t.Errorf("%s: %v, want %v", n, got, want)
		}
	}
	for _, n := range phone.SandboxNumbers() {
		if !n.Possible() {
			t.Errorf("%s has an unknown length", n)
		}
	}
}
