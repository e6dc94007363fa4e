//go:build !linux

package main

import (
	"errors"
	"net"
)

// poller needs Linux's epoll. On other systems, the bench compiles but returns an error.
type poller struct{}

var errLinux = errors.New("the benchmark needs Linux")

func newPoller() (*poller, error)                { return nil, errLinux }
func (p *poller) close()                         {}
func (p *poller) dial(*net.TCPAddr) (int, error) { return 0, errLinux }
func (p *poller) drop(int)                       {}
func (p *poller) wait() ([]int, error)           { return nil, errLinux }
func (p *poller) read(int, []byte) (int, error)  { return 0, errLinux }
func (p *poller) write(int, []byte) error        { return errLinux }
