package console

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// usualWidth is how wide a terminal is that does not say it.
const usualWidth = 80

// Width returns how many columns the terminal has that w is; 0: w is none, and lines may be as long as they are.
func Width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !IsTerminal(w) {
		return 0
	}
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		return int(size.Col)
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return usualWidth
}
