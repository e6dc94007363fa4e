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
