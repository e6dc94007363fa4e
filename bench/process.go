package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// child is a process that ends with the bench.
type child struct{ cmd *exec.Cmd }

func start(ctx context.Context, env []string, name string, args ...string) (*child, io.Reader, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // this program itself, or the one that it has built
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(cmd.Environ(), env...)
	cmd.WaitDelay = 30 * time.Second
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return &child{cmd}, out, cmd.Start()
}

func (c *child) stop() {
	_ = c.cmd.Process.Signal(os.Interrupt)
	_ = c.cmd.Wait()
}

func (c *child) process() process   { return process(c.cmd.Process.Pid) }
func (c *child) memory() float64    { return c.process().memory() }
func (c *child) own() float64       { return c.process().own() }
func (c *child) most() float64      { return c.process().most() }
func (c *child) cpu() time.Duration { return c.process().cpu() }

// process is a process id. Linux has its figures in /proc.
type process int

func self() process { return process(os.Getpid()) }

// memory returns the process's resident set in MB.
func (p process) memory() float64 { return p.megabytes("VmRSS:") }

// own returns the part of the resident set that isn't backed by files, in MB, because the pages of the binary are
// shared and can be dropped.
func (p process) own() float64 { return p.megabytes("RssAnon:") }

// most returns the largest resident set of the process so far, in MB.
func (p process) most() float64 { return p.megabytes("VmHWM:") }

func (p process) megabytes(name string) float64 {
	kb, _ := strconv.ParseFloat(p.status(name), 64)
	return kb / 1024
}

func (p process) parent() process {
	n, _ := strconv.Atoi(p.status("PPid:"))
	return process(n)
}

func (p process) status(name string) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return f[1]
		}
	}
	return ""
}

// clockTicks is the number of ticks per second in which the kernel counts processor time, on every Linux.
const clockTicks = 100

// cpu returns the processor time of the process and its children that have ended.
func (p process) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return 0
	}
	// The fields after the name, which can contain spaces: utime, stime, cutime, and cstime are the 12th to the 15th.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 15 {
		return 0
	}
	ticks := int64(0)
	for _, n := range f[11:15] {
		v, _ := strconv.ParseInt(n, 10, 64)
		ticks += v
	}
	return time.Duration(ticks) * time.Second / clockTicks
}

// griot is a running `griot dev`, with its dev.json.
type griot struct {
	*child
	started time.Time
	ready   time.Duration
	size    int64

	AuthURL     string `json:"authUrl"`
	BaseURL     string `json:"baseUrl"`
	InternalURL string `json:"internalUrl"`
	Clients     struct {
		TestPublic struct {
			ClientID    string `json:"clientId"`
			RedirectURI string `json:"redirectUri"`
		} `json:"testPublic"`
	} `json:"clients"`
	Accounts struct {
		Business struct {
			Email          string `json:"email"`
			LiveKey        string `json:"liveKey"`
			WhatsAppNumber string `json:"whatsappNumber"`
		} `json:"business"`
		Unlimited struct {
			ID      string `json:"id"`
			LiveKey string `json:"liveKey"`
		} `json:"unlimited"`
	} `json:"accounts"`
}

const startTime = 30 * time.Second

// withoutHistory makes `griot dev` start with a database without messages, for figures that count them.
const withoutHistory = "GRIOT_SHOWCASE=false"

// startGriot starts a program's `griot dev` with its data in a directory, and returns after all its listeners respond.
func startGriot(ctx context.Context, env []string, binary, data string, more ...string) (*griot, error) {
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	args := []string{"dev", "--data", data, "--phones", "memory", "--api-listen", "127.0.0.1:0", "--auth-listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0"}
	c, out, err := start(ctx, env, binary, append(args, more...)...)
	if err != nil {
		return nil, err
	}
	ready := make(chan error, 1)
	go func() {
		_, err := io.ReadFull(out, make([]byte, 1)) // it prints its addresses when it is ready
		ready <- err
		_, _ = io.Copy(io.Discard, out)
	}()
	select {
	case err = <-ready:
	case <-time.After(startTime):
		err = errors.New("it did not say that it is ready")
	}
	g := &griot{child: c, started: begun, size: info.Size(), ready: time.Since(begun)}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(filepath.Join(data, "dev.json"))
	}
	if err == nil {
		err = json.Unmarshal(b, g)
	}
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	return g, nil
}

// build builds the program from this repository.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "griot")
	out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "./cmd/griot").CombinedOutput() //nolint:gosec // a path that this program made
	if err != nil {
		return "", fmt.Errorf("building griot: %w\n%s", err, out)
	}
	return binary, nil
}

// setReceipts determines whether the virtual phones send receipts.
func (g *griot) setReceipts(ctx context.Context, on bool) error {
	const path = "/dev/phones-options"
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, g.BaseURL+path, strings.NewReader(fmt.Sprintf(`{"receipts":%t}`, on)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("PUT %s: %s", path, res.Status)
	}
	return nil
}

// do makes a request with an account's key, a POST if it has a body, and returns the response.
func (g *griot) do(ctx context.Context, client *http.Client, key, path string, body []byte) ([]byte, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, g.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, err
	}
	if res.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s: got %d %.300s", path, res.StatusCode, answer)
	}
	return answer, nil
}

func host(url string) string { return strings.TrimPrefix(url, "http://") }
