package textfile_test

import (
	"testing"

	"example.com/griot/internal/textfile"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"": "", "secret": "secret", "secret\n": "secret", "secret\r\n": "secret", "secret\n\r\n\n": "secret", "\ufeffsecret\n": "secret", "\ufeff": "", "\n": "",
		" a secret \n": " a secret ", "\ufeff\ufeffx": "\ufeffx", "se\ncret\n": "se\ncret", "clé\n": "clé", "cl\xe9\n": "cl\xe9",
		"\xff\xfes\x00\xe9\x00\r\x00\n\x00": "sé", "\xfe\xff\x00s\x00\xe9\x00\n": "sé",
	} {
		if got := textfile.Line(content); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("\xff\xfes\x00")
	f.Add("\ufeffsecret\r\n")
	f.Fuzz(func(t *testing.T, content string) {
		line := textfile.Line(content)
		for _, written := range []string{"\ufeff" + line, line + "\r\n"} {
			if textfile.Line(line) != line {
				return // the line begins as a mark does
			}
			if got := textfile.Line(written); got != line {
				t.Errorf("%q is read as %q, want %q", written, got, line)
			}
		}
	})
}
