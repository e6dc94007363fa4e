package clients_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// guide returns docs/login.md and its code blocks in a language.
func guide(t *testing.T, language string) (text string, code []string) {
	t.Helper()
	b, err := os.ReadFile("../../../docs/login.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(b), -1) {
		code = append(code, m[1])
	}
	if len(code) == 0 {
		t.Fatalf("docs/login.md has no %s", language)
	}
	return string(b), code
}

// The guide's applications, exactly as printed, sign someone in.
func TestClients_GuideApplications(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	t.Run("go", func(t *testing.T) {
		_, code := guide(t, "go")
		dir := t.TempDir()
		systemtest.WriteFile(t, filepath.Join(dir, "main.go"), code[0])
		program := filepath.Join(dir, "application")
		build := exec.CommandContext(t.Context(), "go", "build", "-o", program, filepath.Join(dir, "main.go"))
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		signInThrough(t, p, func() *exec.Cmd { return exec.CommandContext(t.Context(), program) })
	})
	t.Run("start", func(t *testing.T) {
		program := filepath.Join(t.TempDir(), "app.mjs")
		for _, b := range systemtest.BlocksOf(t, "docs/start/web.md") {
			if b.File == "app.mjs" {
				systemtest.WriteFile(t, program, b.Code)
			}
		}
		signInThrough(t, p, func() *exec.Cmd { return node(t, nil, program) })
	})
	t.Run("node", func(t *testing.T) {
		_, code := guide(t, "js")
		dir := t.TempDir()
		systemtest.WriteFile(t, filepath.Join(dir, "app.mjs"), code[0])
		modules, err := filepath.Abs(filepath.Join(npmFolder, "node_modules"))
		if err == nil {
			err = os.Symlink(modules, filepath.Join(dir, "node_modules"))
		}
		if err != nil {
			t.Fatal(err)
		}
		signInThrough(t, p, func() *exec.Cmd { return node(t, nil, filepath.Join(dir, "app.mjs")) })
	})
}

// signInThrough runs an application of the guide, signs in to it, and tries requests that it must refuse.
func signInThrough(t *testing.T, p *systemtest.Dev, application func() *exec.Cmd) {
	t.Helper()
	production := runApplication(t, p, application(), "LIVE")
	someone := systemtest.NewPerson(t)
	if status, body, _ := someone.Get(loginUntilReturn(t, p, someone, production).String()); status < 400 || strings.Contains(body, "signed in") {
		t.Errorf("with a TEST token in production: %d %s", status, body)
	}

	base := runApplication(t, p, application(), "TEST")
	back := loginUntilReturn(t, p, someone, base)
	for name, change := range map[string]func(url.Values){
		"another issuer": func(q url.Values) { q.Set("iss", "https://attacker.example") },
		"no issuer":      func(q url.Values) { q.Del("iss") },
		"another state":  func(q url.Values) { q.Set("state", "another-login-0000000000000000000000") },
		"refused":        func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
	} {
		wrong, q := *back, back.Query()
		change(q)
		wrong.RawQuery = q.Encode()
		// A copy of the browser, because some applications forget the login after the first response.
		if status, body, _ := someone.Clone().Get(wrong.String()); status < 400 || strings.Contains(body, "signed in") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, body, _ := systemtest.NewPerson(t).Get(back.String()); status < 400 || strings.Contains(body, "signed in") {
		t.Errorf("a browser that started no login: %d %s", status, body)
	}
	again := someone.Clone()
	if status, body, _ := someone.Get(back.String()); status != http.StatusOK || !strings.Contains(body, "signed in with +22300000001") {
		t.Errorf("the way back to the application: got %d %s, want 200, signed in", status, body)
	}
	if status, body, _ := again.Get(back.String()); status != http.StatusBadRequest {
		t.Errorf("with a code that was used: got %d %s, want 400, as the service responds", status, body)
	}
}

// loginUntilReturn signs someone in, up to the redirect to the application, and returns the address of the redirect.
func loginUntilReturn(t *testing.T, p *systemtest.Dev, someone *systemtest.Person, base string) *url.URL {
	t.Helper()
	_, _, authorize := someone.Get(base + "/login")
	if authorize == nil || !strings.HasPrefix(authorize.String(), p.AuthURL+"/authorize?") {
		t.Fatalf("/login leads to %v", authorize)
	}
	return someone.SignInSandbox(authorize.String())
}

// runApplication starts an application of the guide and returns its address after it listens.
func runApplication(t *testing.T, p *systemtest.Dev, application *exec.Cmd, mode string) string {
	t.Helper()
	here := systemtest.FreeAddress(t)
	client := p.Clients.TestConfidential
	variables := []string{"MODE=" + mode}
	for name, value := range map[string]string{
		"ISSUER": p.AuthURL, "CLIENT_ID": client.ClientID, "CLIENT_SECRET": client.ClientSecret, "REDIRECT_URI": "http://" + here + "/dev/demo/callback",
	} {
		variables = append(variables, name+"="+value, "GRIOT_"+strings.Replace(name, "ISSUER", "AUTH_URL", 1)+"="+value) // docs/login.md, docs/start/web.md
	}
	startApplication(t, application, here, variables...)
	return "http://" + here
}

// startApplication starts a program with variables, waits until it listens, and returns its output.
func startApplication(t *testing.T, application *exec.Cmd, listens string, variables ...string) *systemtest.Buffer {
	t.Helper()
	out := &systemtest.Buffer{}
	application.Stdout, application.Stderr = out, out
	application.Env = append(systemtest.Environ(), variables...)
	if err := application.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = application.Process.Kill()
		_ = application.Wait()
		if t.Failed() {
			t.Logf("the application said:\n%s", out)
		}
	})
	waittest.Until(t, func() error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", listens)
		if err == nil {
			err = c.Close()
		}
		return err
	})
	return out
}

// The guide's test vector is valid.
// Rules: L119.
func TestClients_GuideSignature(t *testing.T) {
	text, _ := guide(t, "sh")
	m := regexp.MustCompile(`(?s)secret\s+(\S+)\nbody\s+(\{.*?\})\nX-Gateway-Signature\s+([0-9a-f]+)\n`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the guide has no test vector")
	}
	mac := hmac.New(sha256.New, []byte(m[1]))
	fmt.Fprint(mac, m[2])
	if want := hex.EncodeToString(mac.Sum(nil)); m[3] != want {
		t.Errorf("the guide says %s, it is %s", m[3], want)
	}
}
