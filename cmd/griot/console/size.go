package console

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// usualWidth is the assumed width of a terminal that doesn't report it.
const usualWidth = 80

// Width returns the number of columns of the terminal w; 0 if w isn't a terminal, so lines can have any length.
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
