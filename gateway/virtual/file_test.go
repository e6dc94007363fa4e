package virtual_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/seal"
)

func TestFile_SensitiveTextIsSealed(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	const code = "kora-481516"
	sensitive := func(to string) *gateway.Outbound {
		out := outbound(to)
		out.Sensitive, out.Text = true, "Code "+code
		if out.Channel == gateway.Email {
			out.Subject, out.HTML = "Objet "+code, "<b>"+code+"</b>"
		}
		return out
	}
	g.send(sensitive(aissata))
	g.send(sensitive(mailbox))
	g.ok("PUT", "/dev/phones/"+moussa, `{"online":false}`)
	g.send(sensitive(moussa))
	plain := outbound(aissata)
	plain.Text = "djembe"
	g.send(plain)
	look := func() {
		t.Helper()
		files, err := filepath.Glob(g.options.Path + "*")
		if err != nil || len(files) < 2 {
			t.Fatal(files, err)
		}
		seen := false
		for _, name := range files {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(content, []byte(code)) {
				t.Errorf("%s holds the code", name)
			}
			seen = seen || bytes.Contains(content, []byte("djembe"))
		}
		if !seen {
			t.Error("the test doesn't find a plain text in the file")
		}
	}
	look()
	g.reopen()
	look()
	for _, address := range []string{aissata, moussa} {
		if got := g.texts(address); len(got) == 0 || got[0] != "Code "+code {
			t.Errorf("%s shows %v", address, got)
		}
	}
	if got := g.messages(mailbox)[0]; got["subject"] != "Objet "+code || got["html"] != "<b>"+code+"</b>" || got["text"] != "Code "+code {
		t.Errorf("the mailbox shows %v", got)
	}

	other, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	g.options.Box = other.Box("virtual-phones")
	g.reopen()
	if got := g.messages(aissata); len(got) != 2 || got[0]["text"] != nil || got[1]["text"] != "djembe" {
		t.Errorf("with another key: %v", got)
	}
}

func TestFile_Restart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	out := outbound(aissata)
	ack := g.send(out)
	g.ok("POST", "/dev/phones/"+aissata+"/messages/"+ack.ProviderID+"/read", "{}")
	g.ok("POST", "/dev/phones/"+aissata+"/messages", inboundBody)
	other := outbound(moussa)
	g.send(other)
	before := fmt.Sprint(g.messages(aissata), g.messages(moussa), g.list("/dev/phones-list", "phones"))
	g.reopen()
	if after := fmt.Sprint(g.messages(aissata), g.messages(moussa), g.list("/dev/phones-list", "phones")); after != before {
		t.Errorf("before: %s\nafter: %s", before, after)
	}
	if again := g.send(out); again != ack {
		t.Errorf("after the restart the reference has ack %v, want %v", again, ack)
	}
	g.ok("PUT", "/dev/phones-options", `{"deduplicate":false}`)
	g.reopen()
	if g.Info().Deduplicates {
		t.Error("the option isn't stored")
	}
	if again := g.send(out); again == ack {
		t.Error("deduplicated in spite of the option")
	}
	g.ok("PUT", "/dev/phones-options", `{"deduplicate":true}`)
	g.reopen()
	if again := g.send(out); again != ack {
		t.Errorf("acknowledged as %v, not as %v", again, ack)
	}
	if got := strings.Join(g.outcomes(out.Ref), " "); got != "delivered duplicate delivered duplicate" {
		t.Errorf("attempts: %s", got)
	}
}

const childPath = "GRIOT_VIRTUAL_TEST_CHILD"

// child sends until it is killed. It prints a line before each attempt, and one with its ack.
func child(path string) {
	key, err := seal.NewKey(bytes.Repeat([]byte{7}, seal.MasterKeySize))
	if err != nil {
		panic(err)
	}
	g, err := virtual.New(context.Background(), virtual.Options{Path: path, Sink: failingSink{}, Now: clock.System, Box: key.Box("virtual-phones")})
	if err != nil {
		panic(err)
	}
	go func() { _ = g.Run(context.Background()) }()
	var mu sync.Mutex
	printLine := func(words ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(words...)
	}
	for i := range 8 {
		go func() {
			for {
				out := outbound(fmt.Sprint(22380000000 + i))
				printLine("try", out.Ref, out.To)
				ack, err := g.Send(context.Background(), out)
				if err != nil {
					panic(err)
				}
				printLine("ack", out.Ref, ack.ProviderID)
			}
		}()
	}
	select {}
}

type failingSink struct{}

func (failingSink) Inbound(context.Context, gateway.Inbound) error { return io.EOF }
func (failingSink) Receipt(context.Context, gateway.Receipt) error { return io.EOF }
func (failingSink) Change(context.Context, gateway.Change) error   { return io.EOF }

func TestFile_Kill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "virtual.db")
	tried, acked := map[string]string{}, map[string]string{}
	for round := 1; round <= 3; round++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childPath+"="+path)
		cmd.Stderr = os.Stderr
		output, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			words := strings.Fields(lines.Text())
			if len(words) != 3 {
				continue // incomplete because of the kill
			}
			if words[0] == "try" {
				tried[words[1]] = words[2]
			} else {
				acked[words[1]] = words[2]
			}
			if len(acked) >= 60*round {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	if len(acked) < 180 {
		t.Fatalf("the children have sent %d messages", len(acked))
	}
	g := open(t, path)
	for ref, to := range tried { // repeated as after an unknown outcome
		out := outbound(to)
		out.Ref = ref
		if ack := g.send(out); acked[ref] != "" && ack.ProviderID != acked[ref] {
			t.Errorf("%s was %s and is now %s", ref, acked[ref], ack.ProviderID)
		}
	}
	shown := map[string]int{}
	for i := range 8 {
		for _, ref := range members(g.messages(fmt.Sprint(22380000000+i)), "reference") {
			shown[ref]++
		}
	}
	for ref := range tried {
		if shown[ref] != 1 {
			t.Errorf("%s is shown %d times", ref, shown[ref])
		}
	}
	g.run()
	g.wait("a receipt for each", func() bool { return len(g.sink.Receipts()) >= len(tried) })
	receipts := map[string]int{}
	for _, r := range g.sink.Receipts() {
		receipts[r.Ref]++
	}
	for ref := range tried {
		if receipts[ref] != 1 {
			t.Errorf("%s has %d receipts", ref, receipts[ref])
		}
	}
}
