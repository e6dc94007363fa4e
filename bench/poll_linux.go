package main

import (
	"errors"
	"net"
	"syscall"
)

// poller is a Linux epoll for the sockets of one thread.
type poller struct {
	fd     int
	events [64]syscall.EpollEvent
	ready  []int
}

const pollWait = 100 // milliseconds; limits the delay until the end of a measurement is noticed

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &poller{fd: fd}, err
}

func (p *poller) close() {
	if p != nil {
		_ = syscall.Close(p.fd)
	}
}

func (p *poller) dial(a *net.TCPAddr) (int, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	to := &syscall.SockaddrInet4{Port: a.Port}
	copy(to.Addr[:], a.IP.To4())
	err = errors.Join(
		syscall.Connect(fd, to),
		syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1),
		syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}),
	)
	return fd, err
}

func (p *poller) drop(fd int) { _ = syscall.Close(fd) }

// wait returns the readable descriptors.
func (p *poller) wait() ([]int, error) {
	n, err := syscall.EpollWait(p.fd, p.events[:], pollWait)
	if err != nil && !errors.Is(err, syscall.EINTR) {
		return nil, err
	}
	p.ready = p.ready[:0]
	for i := range max(n, 0) {
		p.ready = append(p.ready, int(p.events[i].Fd))
	}
	return p.ready, nil
}

func (p *poller) read(fd int, b []byte) (int, error) {
	n, err := syscall.Read(fd, b)
	if err == nil && n == 0 {
		err = errors.New("the server closed the connection")
	}
	return n, err
}

func (p *poller) write(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := syscall.Write(fd, b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
