package qrcode_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/qrcode"
)

// The drawing is readable for a phone: it has the finder pattern of a corner within its white border, on both kinds of
// terminals.
func TestText(t *testing.T) {
	c, err := qrcode.New("2@" + strings.Repeat("abc,", 60))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(c.Text(false), "\n")
	corner := func(n int) string { return string([]rune(lines[n])[:14]) }
	for i, want := range []string{
		"██████████████",
		"██████████████",
		"████ ▄▄▄▄▄ █",
		"████ █   █ █",
		"████ █▄▄▄█ █",
		"████▄▄▄▄▄▄▄█",
	} {
		if got := corner(i); !strings.HasPrefix(got, want) {
			t.Errorf("line %d begins with %q, want %q", i, got, want)
		}
	}
	if got := len(lines) - 1; got != (c.Size()+1)/2 {
		t.Errorf("%d lines for %d modules", got, c.Size())
	}
	colored := c.Text(true)
	if n := strings.Count(colored, "\x1b[38;5;16;48;5;231m"); n != len(lines)-1 || strings.Count(colored, "\x1b[0m\n") != n {
		t.Errorf("%d of %d lines are black on white to their ends", n, len(lines)-1)
	}
	if inverted := strings.NewReplacer("█", " ", " ", "█", "▀", "▄", "▄", "▀").Replace(lines[2]); !strings.Contains(colored, inverted) {
		t.Errorf("with color no line is %q", inverted)
	}
}

func TestNew_ATextThatIsTooLong(t *testing.T) {
	if _, err := qrcode.New(strings.Repeat("a", 3000)); err == nil {
		t.Error("3000 bytes fit into a code")
	}
}
