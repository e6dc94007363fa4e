package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"example.com/griot/internal/db"
)

const (
	campaignAnswer  = 20 * time.Millisecond // of the gateway
	campaignCalls   = 64                    // that the gateway takes at once
	campaignMost    = 1_000_000             // rows, each with another recipient
	campaignLongest = time.Hour
)

func campaignName(engine db.Engine) string { return fmt.Sprintf("campaign, %s", engine) }

// campaign measures `griot batch` with a file of many rows, from its start until the gateway has all messages.
func (r *report) campaign(ctx context.Context) error {
	return r.onEachEngine(ctx, campaignName, r.campaignOn)
}

func (r *report) campaignOn(ctx context.Context, engine db.Engine, server *postgresServer) (err error) {
	gateway, err := startSlowGateway(ctx)
	if err != nil {
		return err
	}
	defer gateway.stop()
	s := &sendBench{o: r.o, server: server, accounts: 1, gateway: gateway.url}
	ready, err := s.prepare(ctx, &program{path: r.o.binary}, &scenario{Engine: engine})
	if err != nil {
		return err
	}
	g, err := ready.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.remove(ctx)) }()
	c, err := g.send(ctx, r.o.rows)
	g.stop()
	if err == nil {
		_, err = g.check(ctx, int64(r.o.rows), 0)
	}
	if n := gateway.messages.Load(); err == nil && n != int64(r.o.rows) {
		err = fmt.Errorf("%w: the gateway got %d messages of %d rows", errStored, n, r.o.rows)
	}
	if err != nil {
		return err
	}
	name, rate := campaignName(engine)+": ", func(d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(r.o.rows)/d.Seconds()) }
	most := float64(campaignCalls) / campaignAnswer.Seconds()
	r.line(name+"accepted", rate(c.accepted), "", fmt.Sprintf("no target  [%d rows of griot batch, all accepted after %.1f s]", r.o.rows, c.accepted.Seconds()))
	r.line(name+"handed over", rate(c.handedOver), fmt.Sprintf("%.2f", float64(r.o.rows)/c.handedOver.Seconds()/most),
		fmt.Sprintf("of the %.0f/s of a gateway that takes %d at once and answers after %s  [all handed over after %.1f s]", most, campaignCalls, campaignAnswer, c.handedOver.Seconds()))
	r.line(name+"memory of griot batch", fmt.Sprintf("%.0f MB", c.clientMemory), "", fmt.Sprintf("the most; no target  [%d µs of processor time a row]", c.clientUsed.Microseconds()/int64(r.o.rows)))
	r.line(name+"memory of the server", fmt.Sprintf("%.0f MB", c.memory), "", fmt.Sprintf("the most; no target  [%d µs of processor time a row]", c.used.Microseconds()/int64(r.o.rows)))
	return nil
}

// campaignResult is the result of a campaign. Times are from the start of `griot batch`.
type campaignResult struct {
	accepted, handedOver time.Duration
	clientMemory, memory float64       // the most of `griot batch` and of the server, in MB
	clientUsed, used     time.Duration // their processor time
}

// send sends a file with `griot batch` and waits until no message waits for its gateway.
func (r *running) send(ctx context.Context, rows int) (*campaignResult, error) {
	file := filepath.Join(r.folder, "people.csv")
	if err := writePeople(file, rows); err != nil {
		return nil, err
	}
	d, err := db.Inspect(ctx, r.url())
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	time.Sleep(time.Until(r.started.Add(settleTime)))
	cmd := exec.CommandContext(ctx, r.of.path, "batch", file, "--channel", "sms", "--message", "Bonjour {{name}}, votre commande {{order}} est en route.", "--yes", "--json") //nolint:gosec // the program under test
	cmd.Env = append(cmd.Environ(), "GRIOT_API_URL="+r.BaseURL, "GRIOT_API_KEY="+r.of.keys[0])
	cmd.Stderr = os.Stderr
	before, begun := r.cpu(), time.Now()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("griot batch: %w", err)
	}
	c := &campaignResult{accepted: time.Since(begun), clientUsed: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.clientMemory = float64(used.Maxrss) / 1024
	}
	var answer struct{ Accepted int }
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, err
	}
	if answer.Accepted != rows {
		return nil, fmt.Errorf("%w: griot batch reports %d accepted rows of %d", errStored, answer.Accepted, rows)
	}
	err = handedOver(ctx, d, begun.Add(campaignLongest))
	c.handedOver, c.used, c.memory = time.Since(begun), r.cpu()-before, r.most()
	return c, err
}

// writePeople writes a file with a row for each of so many people.
func writePeople(path string, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	_, err = w.WriteString("to,name,order\n")
	for n := range rows {
		if err == nil {
			_, err = fmt.Fprintf(w, "+%d,Awa,%d\n", 22376000000+n, 2041+n)
		}
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// slowGateway is an SMS provider that answers each message after a fixed time.
type slowGateway struct {
	url      string
	stop     func()
	messages atomic.Int64
}

func startSlowGateway(ctx context.Context) (*slowGateway, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &slowGateway{url: "http://" + l.Addr().String() + "/messages"}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: g}
	g.stop = func() { _ = srv.Close() }
	go func() { _ = srv.Serve(l) }()
	return g, nil
}

func (g *slowGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !bytes.Contains(body, []byte("commande")) { // a probe has no message
		return
	}
	time.Sleep(campaignAnswer)
	_, _ = fmt.Fprintf(w, `{"id":"%d"}`, g.messages.Add(1))
}

// slowSettings are the settings of a gateway of the kind httpsms for a [slowGateway].
func slowSettings(url string) map[string]any {
	return map[string]any{
		"url": url, "json": map[string]string{"to": "{{to_plus}}", "from": "{{from}}", "text": "{{text}}", "ref": "{{ref}}"},
		"success": map[string]any{"status": []string{"200"}}, "id": map[string]string{"json": "id"}, "connections": campaignCalls,
	}
}
