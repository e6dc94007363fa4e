package systemtest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/griot/internal/waittest"
)

// ptySession is a program in a terminal with 80 columns.
type ptySession struct {
	t      *testing.T
	master *os.File
	out    *Buffer // the content of the terminal
	read   chan struct{}
	wait   func() error
}

// AtTerminal starts a command in a terminal.
func (o *Terminal) AtTerminal(env []string, args ...string) *ptySession {
	o.T.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		o.T.Fatal(err)
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = errors.Join(unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	}
	if err != nil {
		o.T.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		o.T.Fatal(err)
	}
	s := &ptySession{t: o.T, master: master, out: &Buffer{}, read: make(chan struct{})}
	cmd, _, _ := o.Command(args...)
	cmd.Env = append(append(cmd.Env, "TERM=xterm"), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		o.T.Fatal(err)
	}
	_ = slave.Close()
	s.wait = func() error { return WaitExit(cmd) }
	go func() {
		defer close(s.read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			_, _ = s.out.Write(b[:n])
			if err != nil { // the program has ended, or the test closes it
				return
			}
		}
	}()
	o.T.Cleanup(func() { _ = cmd.Process.Kill(); _ = master.Close() })
	return s
}

// Answer types a line after the terminal shows a question.
func (s *ptySession) Answer(question, line string) {
	s.t.Helper()
	waittest.Until(s.t, func() error {
		if !strings.Contains(s.out.String(), question) {
			return fmt.Errorf("the terminal shows %q, want %q: %w", s.out, question, ErrNotYet)
		}
		return nil
	})
	if _, err := s.master.WriteString(line + "\n"); err != nil {
		s.t.Error(err)
	}
}

// End returns the content of the terminal after the program has exited successfully.
func (s *ptySession) End() string {
	s.t.Helper()
	if err := s.wait(); err != nil {
		s.t.Errorf("it ended with %v: %q", err, s.out)
	}
	select {
	case <-s.read:
	case <-time.After(10 * time.Second):
		s.t.Error("the terminal is still open")
	}
	return strings.ReplaceAll(s.out.String(), "\r\n", "\n")
}
