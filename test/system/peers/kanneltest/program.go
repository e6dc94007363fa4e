package kanneltest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Program returns the path of one of Kannel's programs. If it is missing, the test fails, or is skipped on systems
// without apt-get, because make setup installs Kannel from Debian's packages and other systems have none.
func Program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skipf("Kannel's %s isn't installed, and there is no apt-get for make setup to install it", name)
	}
	t.Fatalf("Kannel's %s isn't installed: run make setup", name)
	return ""
}

// Wait waits until the status page of Kannel's bearerbox shows that it is ready, because Kannel has no signal for it.
func Wait(t testing.TB, adminPort int, password string, ready func(status string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for status := ""; !ready(status); {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/status.txt?password=%s", adminPort, password), nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(r); err == nil {
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			status = string(body)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("bearerbox isn't ready: %s", status)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// HasSMSBox reports whether bearerbox has an smsbox. An smsbox listens before it has connected, and panics if it gets a
// message before that.
func HasSMSBox(status string) bool { return strings.Contains(status, "smsbox:") }
