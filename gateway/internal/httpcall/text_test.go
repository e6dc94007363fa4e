package httpcall

import "testing"

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "Aïssata ☀": "Aïssata ☀", "a\x00b": "ab", "a\xffb": "a\uFFFDb"} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestProviderCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"E-12.3_x": "E-12.3_x", "123456": "123456", "": "", "-1": "", "no such number": "", "22370000001": "", "E1234567": "", "abcdefghijklmnopqrstuvwxyz0123456": "",
	} {
		if got := ProviderCode(code); got != want {
			t.Errorf("%q: got %q, want %q", code, got, want)
		}
	}
}
