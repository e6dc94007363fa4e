package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
)

// devService returns the address of the griot dev of a directory, and its business account's key.
func devService(dir string) (address, key string, err error) {
	s, err := devfile.Load(filepath.Join(dir, devfile.Name))
	if err == nil && s.Accounts.Business.LiveKey == "" {
		err = exit.Usage("--data: this directory has no %s. Check whether griot dev has run with it", devfile.Name)
	}
	if err != nil {
		return "", "", err
	}
	return s.BaseURL, s.Accounts.Business.LiveKey, nil
}

// setAddresses sets the addresses of dev.
func setAddresses(s *devfile.State, ls *devListeners) {
	s.BaseURL, s.AuthURL, s.InternalURL = httpURL(ls.api), httpURL(ls.auth), httpURL(ls.internal)
	s.MCPURL = s.BaseURL + "/mcp"
}

// httpURL returns the URL of a listener. For one that listens on all addresses, it uses loopback.
func httpURL(l net.Listener) string {
	a, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + l.Addr().String()
	}
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(a.Port))
}

const (
	readyTimeout = 10 * time.Second
	readyPoll    = 20 * time.Millisecond
)

// ready waits until the process reports that it is ready and all listeners respond.
func ready(ctx context.Context, s *devfile.State) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for _, url := range []string{s.InternalURL + "/readyz", s.AuthURL + "/healthz", s.BaseURL + "/healthz"} {
		for {
			err := answers(ctx, url)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(readyPoll):
			}
		}
	}
	return nil
}

func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", url, res.StatusCode)
	}
	return nil
}
