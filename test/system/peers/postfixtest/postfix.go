package postfixtest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/griot/test/system/freeport"

	gosmtp "github.com/emersion/go-smtp"
)

const (
	startTime = 30 * time.Second // maximum start time of Postfix
	mailTime  = 30 * time.Second // maximum time of an email through it
	pause     = 50 * time.Millisecond
)

// Postfix is a running Postfix, independent of the machine's. It refuses the recipient nobody@refused.example.
type Postfix struct {
	Port int // of the server that relays emails

	t    testing.TB
	next nextHop
}

// Start runs a Postfix that ends with the test. It needs root; for other users, the test is skipped.
func Start(t testing.TB) *Postfix {
	t.Helper()
	const backlog = 8
	p := &Postfix{t: t, next: nextHop{got: make(chan []byte, backlog)}}
	p.Port = run(t, p.next.listen(t))
	return p
}

// Next waits for the next email that Postfix has relayed.
func (p *Postfix) Next() []byte {
	p.t.Helper()
	select {
	case content := <-p.next.got:
		return content
	case <-time.After(mailTime):
		p.t.Fatal("Postfix relays nothing")
		return nil
	}
}

// nextHop is the server that Postfix relays to.
type nextHop struct{ got chan []byte }

func (n *nextHop) listen(t testing.TB) int {
	server := gosmtp.NewServer(gosmtp.BackendFunc(func(*gosmtp.Conn) (gosmtp.Session, error) { return n, nil }))
	server.Domain = "next.test"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func (n *nextHop) Mail(string, *gosmtp.MailOptions) error { return nil }
func (n *nextHop) Rcpt(string, *gosmtp.RcptOptions) error { return nil }
func (n *nextHop) Reset()                                 {}
func (n *nextHop) Logout() error                          { return nil }

func (n *nextHop) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	n.got <- b
	return err
}

const postfixMain = `compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
command_directory = %[2]s
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = relay.test
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
relayhost = [127.0.0.1]:%[3]d
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtp_dns_support_level = disabled
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions = check_recipient_access inline:{{nobody@refused.example = 550 5.1.1 no such user}}
maillog_file = /dev/stdout
`

const postfixMaster = `127.0.0.1:%d inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`

const master = "/usr/lib/postfix/sbin/master"

// run starts Postfix with a port to relay to, and returns Postfix's port.
func run(t testing.TB, next int) int {
	t.Helper()
	program, err := exec.LookPath("postfix")
	if err != nil {
		if program = "/usr/sbin/postfix"; !isFile(program) {
			t.Fatal("Postfix isn't installed: run make setup")
		}
	}
	if os.Geteuid() != 0 || !isFile(master) {
		t.Skip("only root can start Postfix")
	}
	dir, err := os.MkdirTemp("", "griot-postfix-") // Postfix's other user needs access
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	port := freeport.Find(t, 1)[0]
	conf := filepath.Join(dir, "etc")
	for _, d := range []string{dir, conf, filepath.Join(dir, "queue"), filepath.Join(dir, "data")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chown", "postfix", filepath.Join(dir, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{"main.cf": fmt.Sprintf(postfixMain, dir, filepath.Dir(program), next), "master.cf": fmt.Sprintf(postfixMaster, port)} {
		if err := os.WriteFile(filepath.Join(conf, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(program, "-c", conf, "check").CombinedOutput(); err != nil { // it creates the queue's directories
		t.Fatalf("%v: %s", err, out)
	}
	var log bytes.Buffer
	cmd := exec.Command(master, "-c", conf, "-s") // what postfix start-fg becomes, after hundreds of processes that check once more
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = 10 * time.Second // its children have the log open, too
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s", log.String())
		}
	})
	for deadline := time.Now().Add(startTime); ; time.Sleep(pause) { // Postfix has no signal for listening
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = c.Close()
			return port
		}
		if time.Now().After(deadline) {
			t.Fatal("Postfix doesn't listen")
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
