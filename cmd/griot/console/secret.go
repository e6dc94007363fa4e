package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"example.com/griot/internal/textfile"
)

// Secret asks for a secret on a terminal, without echoing it. From any other input, it reads one line without asking. A
// line longer than limit is an error.
func Secret(ctx context.Context, in io.Reader, ask io.Writer, question string, limit int) (string, error) {
	f, ok := in.(*os.File)
	if !ok || !AsksPeople(in) {
		return readLine(in, limit)
	}
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return readLine(in, limit)
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &silent); err != nil {
		return "", err
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }()
	_, _ = fmt.Fprint(ask, question)
	defer func() { _, _ = fmt.Fprintln(ask) }()
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // a read from a terminal can't be interrupted before the process ends
		text, err := readLine(in, limit)
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return l.text, l.err
	case <-ctx.Done(): // Ctrl-C: the terminal is restored before the program ends
		return "", ctx.Err()
	}
}

func readLine(in io.Reader, limit int) (string, error) {
	text, err := bufio.NewReader(io.LimitReader(in, int64(limit)+1)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(text) > limit {
		return "", fmt.Errorf("the line is longer than %d characters", limit)
	}
	return strings.TrimSpace(textfile.Line(text)), err
}
