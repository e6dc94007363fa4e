package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A new developer has docs/, a packed client, and a Griot. Outside the repository, without other downloads, the
// programs of docs/go.md and examples/go compile and work as described: a message, a code, a webhook, and a login.
// [TestClients_TypeScript] is the same in TypeScript. It takes more than 10 seconds, because it compiles these
// programs.
func TestStory_NewDeveloper(t *testing.T) {
	t.Parallel()
	shop := newGoShop(t)
	guide, err := os.ReadFile("../../../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	shop.addGuide(string(guide), map[string]string{"c.Send(": "message", "c.VerifyCode(": "code", "webhook.New(": "webhook", "login.New(": "login"})
	site, err := os.ReadFile(filepath.Join(examplesFolder, "go/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	shop.add("site", string(site))
	shop.build()

	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	variables := append(systemtest.Environ(), devVariables(t, p)...)
	t.Run("a message", func(t *testing.T) {
		cmd := shop.program(t, "message")
		cmd.Env = variables
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "msg_") {
			t.Errorf("got %v, %q; want a message's id", err, out)
		}
		if phone := p.Phone("22376000001"); len(phone) != 1 || phone[0].Text != "Your order 2041 has left." {
			t.Errorf("the phone has %+v, want the message", phone)
		}
	})
	t.Run("a code", func(t *testing.T) {
		for typed, want := range map[string]string{"000000": "That is not the code.", "": "The number is theirs."} {
			cmd := shop.program(t, "code")
			cmd.Env = variables
			answersCode(t, p, cmd, typed, want)
		}
	})
	t.Run("a webhook", func(t *testing.T) {
		listens := systemtest.FreeAddress(t)
		out := startApplication(t, shop.program(t, "webhook"), listens, "LISTEN="+listens, "WEBHOOK_SECRET="+p.Accounts.Business.WebhookSecret)
		address := "http://" + listens + "/hooks/griot"
		p.Operator().Run("webhooks", "set", "--account", "business@griot.example", "--url", address)
		sent := p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa).Text("messageId")
		waittest.Until(t, func() error {
			if !strings.Contains(out.String(), sent+" is DELIVERED (step ") {
				return fmt.Errorf("the program says %q: %w", out, systemtest.ErrNotYet)
			}
			return nil
		})
		refusesForgedEvent(t, address, out)
	})
	t.Run("a login", func(t *testing.T) {
		signInThrough(t, p, func() *exec.Cmd { return shop.program(t, "login") })
	})
	exampleSite{"go", "/callback", true, func(t *testing.T, _ string) *exec.Cmd { return shop.program(t, "site") }}.run(t, p)
}

// goShop is a developer's module, outside the repository.
type goShop struct {
	t   *testing.T
	dir string
}

func newGoShop(t *testing.T) *goShop {
	t.Helper()
	s := &goShop{t, t.TempDir()}
	systemtest.WriteFile(t, filepath.Join(s.dir, "go.mod"), "module shop\n\ngo 1.24\n")
	return s
}

// add writes a program.
func (s *goShop) add(name, source string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	systemtest.WriteFile(s.t, filepath.Join(s.dir, name, "main.go"), source)
}

// addGuide writes a guide's programs, each identified by the words in it, and also compiles its other code.
func (s *goShop) addGuide(guide string, names map[string]string) {
	s.t.Helper()
	parts := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"time\"\n\n\tgriot \"example.com/griot/client\"\n)\n\nfunc main() {}\n"
	added := map[string]bool{}
	for i, m := range regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(guide, -1) {
		if !strings.HasPrefix(m[1], "package main\n") {
			parts += fmt.Sprintf("\nfunc part%d(ctx context.Context, c *griot.Client, yesterday time.Time) error {\n%s\treturn nil\n}\n", i, m[1])
			continue
		}
		name := ""
		for words := range names {
			if strings.Contains(m[1], words) {
				name = names[words]
			}
		}
		if name == "" || added[name] {
			s.t.Errorf("a program of the guide is run by no test:\n%s", m[1])
			continue
		}
		s.add(name, m[1])
		added[name] = true
	}
	if len(added) != len(names) {
		s.t.Fatalf("the guide has %v, want one each of %v", added, names)
	}
	s.add("parts", parts)
}

// build fetches the packed client, and nothing else, and builds the programs.
func (s *goShop) build() {
	s.t.Helper()
	proxy := s.t.TempDir()
	pack := exec.CommandContext(s.t.Context(), "go", "run", "./goproxy/pack", "../../client", "v0.1.0", proxy) // like make dist
	pack.Dir = "../../../tools/dist"
	commands := []*exec.Cmd{pack}
	for _, args := range [][]string{{"get", "example.com/griot/client@latest"}, {"vet", "./..."}, {"build", "-o", s.dir + "/bin/", "./..."}} {
		cmd := exec.CommandContext(s.t.Context(), "go", args...)
		cmd.Dir = s.dir
		cmd.Env = append(systemtest.Environ(), "GOPROXY=file://"+proxy, "GONOSUMDB=*", "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off", "GOTOOLCHAIN=local", "GOMODCACHE="+filepath.Join(s.dir, "cache"))
		commands = append(commands, cmd)
	}
	for _, cmd := range commands {
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
}

func (s *goShop) program(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), filepath.Join(s.dir, "bin", name))
}
