package console

import (
	"bufio"
	"io"
	"os"
	"strings"

	"example.com/griot/internal/visible"
)

// IsTerminal reports whether the output is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Colors reports whether the output can have colors: on a terminal, unless NO_COLOR is set (no-color.org).
func Colors(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// AsksPeople reports whether a person can answer: the input is a terminal, and not the null device, which looks like
// one.
func AsksPeople(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok || !IsTerminal(f) {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return true
	}
	info, err := f.Stat()
	return err == nil && !os.SameFile(info, null)
}

// Answer reads a typed line without surrounding spaces.
func Answer(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	return strings.TrimSpace(line), err
}

// Plain makes text from other sources safe for a terminal, in one line: without characters that people can't see.
func Plain(s string) string {
	return visible.Replace(s, func(r rune) string {
		if r == '\n' || r == '\t' || r == '\r' {
			return " "
		}
		return "�"
	})
}
