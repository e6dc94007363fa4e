package systemtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/db/dbtest"
)

// SmsToAwa is the body of a send by SMS, with characters that JSON and HTML escape.
const SmsToAwa = `{"channel":"sms","to":"22376000001","message":"Bonjour <Awa> & \u00e9"}`

// Dev is a running `griot dev` process.
type Dev struct {
	devfile.State
	T   *testing.T
	Cmd *exec.Cmd
	Out *Buffer // its complete output
	Dir string
}

// StartWithConversation starts `griot dev` with a conversation in the inbox.
func StartWithConversation(t *testing.T) *Dev {
	t.Helper()
	p := StartDev(t, t.TempDir(), "--phones", "memory")
	r := p.Call("POST", p.BaseURL+"/dev/phones/22376000001/messages",
		fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":"Où est ma commande ?","displayName":"Awa"}`, p.Accounts.Business.WhatsAppNumber))
	if r.Status != 201 {
		t.Fatalf("a phone writes: got %d %s, want success", r.Status, r.Raw)
	}
	return p
}

// StartDev starts `griot dev` on a directory and returns after it reports that it is ready.
func StartDev(t *testing.T, dir string, args ...string) *Dev {
	t.Helper()
	return StartDevWith(t, Binary, dir, Environ(), args...)
}

// StartDevWith starts `griot dev` with another program and environment; see [StartDev].
func StartDevWith(t *testing.T, program, dir string, env []string, args ...string) *Dev {
	t.Helper()
	state := filepath.Join(dir, devfile.Name)
	before, _ := os.Stat(state)
	p := &Dev{T: t, Out: &Buffer{}, Dir: dir}
	p.Cmd = exec.CommandContext(context.Background(), program, append([]string{
		"dev", "--data", dir, "--api-listen", "127.0.0.1:0", "--auth-listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0",
	}, args...)...)
	p.Cmd.Stdout, p.Cmd.Stderr = p.Out, p.Out
	p.Cmd.Env = append(env, "GRIOT_LOG_LEVEL=debug", "GRIOT_SHOWCASE=false") // --showcase overrides it
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	deadline := time.Now().Add(30 * time.Second)
	for {
		now, err := os.Stat(state)
		if err == nil && (before == nil || !os.SameFile(before, now)) && strings.Contains(p.Out.String(), "Griot is running.") {
			break
		}
		if time.Now().After(deadline) || p.Cmd.ProcessState != nil {
			t.Fatalf("griot dev did not start:\n%s\n%s", p.Out, dbtest.State())
		}
		time.Sleep(2 * time.Millisecond) // the file shows that it is ready, and the process prints the rest after writing it
	}
	b, err := os.ReadFile(state)
	if err == nil {
		err = json.Unmarshal(b, &p.State)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Kill kills the process with SIGKILL.
func (p *Dev) Kill() {
	_ = p.Cmd.Process.Kill()
	_ = p.Cmd.Wait()
}

// Stop sends SIGTERM, and fails the test unless the process exits successfully.
func (p *Dev) Stop() {
	p.T.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.T.Error(err)
	}
	if err := WaitExit(p.Cmd); err != nil {
		p.T.Errorf("it ended with %v:\n%s", err, p.Out)
	}
}

// Call makes a request, and ends the test if there is no response.
func (p *Dev) Call(method, url, body string, headers ...string) *Reply {
	p.T.Helper()
	r, err := Call(method, url, body, headers...)
	if err != nil {
		p.T.Fatalf("%s %s: %v", method, url, err)
	}
	return r
}

// Send sends a message with an API key.
func (p *Dev) Send(key, body string) *Reply {
	p.T.Helper()
	return p.Call("POST", p.BaseURL+"/api/send", body, "Authorization: Bearer "+key)
}

// Phone returns the messages of a virtual phone.
func (p *Dev) Phone(address string) []phoneMessage {
	p.T.Helper()
	r := p.Call("GET", p.BaseURL+"/dev/phones/"+address+"/messages", "")
	var out struct{ Messages []phoneMessage }
	if err := json.Unmarshal([]byte(r.Raw), &out); err != nil {
		p.T.Fatalf("%s: %v", r.Raw, err)
	}
	return out.Messages
}

// At returns a terminal whose environment has the address and a key.
func (p *Dev) At(key string) *Terminal {
	return &Terminal{T: p.T, Dir: p.T.TempDir(), Env: []string{"GRIOT_API_URL=" + p.BaseURL, "GRIOT_API_KEY=" + key}}
}

// Operator returns an operator of this process.
func (p *Dev) Operator() *Operator {
	return &Operator{T: p.T, Dir: p.Dir, Args: []string{"--data", p.Dir}}
}

type phoneMessage struct {
	ID, Direction, Channel, From, To, Text, HTML, Subject, Reference, ReplyTo, Status string
	NumberRequest                                                                     bool // it has the button for sharing the number
}
