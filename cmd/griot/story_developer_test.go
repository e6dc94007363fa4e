package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A new developer has docs/, a packed client and a Griot. Outside the repository, with nothing else to download, the
// programs of docs/go.md and examples/go compile and do what they say: a message, a code, a login, a webhook.
// [TestClients_TypeScript] is the same in TypeScript.
func TestStory_NewDeveloper(t *testing.T) {
	shop := newGoShop(t)
	guide, err := os.ReadFile("../../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, mark := range map[string]string{"message": "c.Send(", "code": "c.VerifyCode(", "login": "login.New("} {
		shop.add(name, programWith(t, string(guide), mark))
	}
	site, err := os.ReadFile(filepath.Join(examplesFolder, "go/main.go"))
	if err != nil {
		t.Fatal(err)
	}
	shop.add("site", string(site))
	shop.build()

	p := startDev(t, t.TempDir(), "--phones", "memory")
	variables := append(os.Environ(), devVariables(t, p)...)
	t.Run("a message", func(t *testing.T) {
		cmd := shop.program(t, "message")
		cmd.Env = variables
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "msg_") {
			t.Errorf("got %v, %q; want a message's id", err, out)
		}
		if phone := p.phone("22376000001"); len(phone) != 1 || phone[0].Text != "Your order 2041 has left." {
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
	t.Run("a login", func(t *testing.T) {
		signInThrough(t, p, func() *exec.Cmd { return shop.program(t, "login") })
	})
	exampleSite{"go", "/callback", true, func(t *testing.T, _ string) *exec.Cmd { return shop.program(t, "site") }}.run(t, p)
}

// programWith returns the program of a guide that has these words.
func programWith(t *testing.T, guide, words string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```go\n(package main\n.*?)^```$").FindAllStringSubmatch(guide, -1) {
		if strings.Contains(m[1], words) {
			return m[1]
		}
	}
	t.Fatalf("no program of the guide has %s", words)
	return ""
}

// goShop is a developer's module, outside the repository.
type goShop struct {
	t   *testing.T
	dir string
}

func newGoShop(t *testing.T) *goShop {
	t.Helper()
	s := &goShop{t, t.TempDir()}
	write(t, filepath.Join(s.dir, "go.mod"), "module shop\n\ngo 1.24\n")
	return s
}

// add writes a program.
func (s *goShop) add(name, source string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Join(s.dir, name), 0o700); err != nil {
		s.t.Fatal(err)
	}
	write(s.t, filepath.Join(s.dir, name, "main.go"), source)
}

// build gets the packed client, and nothing from anywhere else, and builds the programs.
func (s *goShop) build() {
	s.t.Helper()
	for _, args := range [][]string{{"get", "example.com/griot/client@latest"}, {"build", "-o", s.dir + "/bin/", "./..."}} {
		cmd := exec.CommandContext(s.t.Context(), "go", args...)
		cmd.Dir = s.dir
		cmd.Env = append(os.Environ(), "GOPROXY=file://"+packedModule(s.t), "GOSUMDB=off", "GOFLAGS=-modcacherw", "GOWORK=off", "GOTOOLCHAIN=local", "GOMODCACHE="+filepath.Join(s.dir, "cache"))
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}

func (s *goShop) program(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), filepath.Join(s.dir, "bin", name))
}

// packedModule returns a folder that GOPROXY may name, with the client as it is in the last commit.
func packedModule(t *testing.T) string {
	t.Helper()
	const module, version = "example.com/griot/client", "v0.1.0"
	dir := t.TempDir()
	at := filepath.Join(dir, module, "@v")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../client/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, "list"), version+"\n")
	write(t, filepath.Join(at, version+".info"), `{"Version":"`+version+`"}`)
	write(t, filepath.Join(at, version+".mod"), string(mod))
	archive := exec.CommandContext(t.Context(), "git", "-C", "../../client", "archive", "--format=zip", "--prefix="+module+"@"+version+"/", "-o", filepath.Join(at, version+".zip"), "HEAD")
	if out, err := archive.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}
