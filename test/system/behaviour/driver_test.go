package behaviour

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// driver is a running program that runs cases with a client.
type driver struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     chan string
	stderr  strings.Builder
	cancel  context.CancelFunc
}

const answerTimeout = 30 * time.Second

// startDriver starts a program. Its settings are in its environment.
func startDriver(ctx context.Context, environment []string, name string, args ...string) (*driver, error) {
	ctx, cancel := context.WithCancel(ctx)
	d := &driver{command: exec.CommandContext(ctx, name, args...), out: make(chan string, 1), cancel: cancel}
	d.command.Env = append(os.Environ(), environment...)
	d.command.Stderr = &d.stderr
	var err error
	if d.in, err = d.command.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	stdout, err := d.command.StdoutPipe()
	if err == nil {
		err = d.command.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(d.out)
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			d.out <- lines.Text()
		}
	}()
	return d, nil
}

// run runs one case with the driver.
func (d *driver) run(c *Case) (*Outcome, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("%w; it wrote %s", err, d.stop())
	}
	select {
	case text, ok := <-d.out:
		got := &Outcome{}
		if !ok {
			return nil, fmt.Errorf("the driver has ended; it wrote %s", d.stop())
		}
		if err := json.Unmarshal([]byte(text), got); err != nil || got.Name != c.Name {
			return nil, fmt.Errorf("got %s, want the outcome of this case", text)
		}
		return got, nil
	case <-time.After(answerTimeout):
		return nil, fmt.Errorf("no outcome after %s; it wrote %s", answerTimeout, d.stop())
	}
}

// stop ends the driver and returns its error output.
func (d *driver) stop() string {
	_ = d.in.Close()
	d.cancel()
	_ = d.command.Wait()
	return d.stderr.String()
}
