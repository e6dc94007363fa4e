package clients_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

const (
	mcpFolder = "../../../test/npm-mcp"
	mcpTime   = 2 * time.Minute
)

// clientReport is the output of each program with a client library. Server is empty for libraries that hide it, and
// Found, the result of search_messages, for a key without this tool.
type clientReport struct {
	Server, Text, Refused, Found string
	Tools                        []string
}

// mcpNode returns the Node.js of test/npm-mcp, or this machine's if it has none.
func mcpNode(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(mcpFolder, "node_modules/@modelcontextprotocol")); err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	own, err := filepath.Abs(filepath.Join(mcpFolder, "node_modules", "node-"+runtime.GOOS+"-"+arch, "bin/node"))
	if err == nil {
		_, err = os.Stat(own)
	}
	if err == nil {
		return own
	}
	if errors.Is(err, os.ErrNotExist) {
		return "node" // the programs themselves report if it is too old
	}
	t.Fatal(err)
	return ""
}

// program runs a program in a directory and returns its output and its exit status.
func program(t *testing.T, dir, name string, args ...string) (out string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mcpTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(systemtest.Environ(), "HOME="+t.TempDir(), "GOFLAGS=", "NO_COLOR=1")
	if strings.HasSuffix(name, "go") {
		cmd.Env = systemtest.Environ()
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return stdout.String() + stderr.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return stdout.String(), 0
}

// endpoints returns the assistant endpoint, and others that a client must not accept as one.
func endpoints(t *testing.T, p *systemtest.Dev) (good string, bad map[string][2]string) {
	t.Helper()
	nothing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(nothing.Close)
	keyless := reverseProxy(t, p.BaseURL, "")
	return p.MCPURL, map[string][2]string{ // address, key
		"a wrong key":     {p.MCPURL, "svc_live_wrong"},
		"a test key":      {p.MCPURL, p.Accounts.Business.TestKey},
		"no key":          {keyless + "/mcp", p.Accounts.Business.LiveKey},
		"another address": {nothing.URL + "/mcp", p.Accounts.Business.LiveKey},
	}
}

// reverseProxy starts a reverse proxy that adds a key to every request, unless it is empty. For a page of the proxy's
// own origin, the service has the same origin.
func reverseProxy(t *testing.T, to, key string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	own := "http://" + srv.Listener.Addr().String()
	srv.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
		if key != "" {
			r.Out.Header.Set("Authorization", "Bearer "+key)
		}
		if r.In.Header.Get("Origin") == own {
			r.Out.Header.Set("Origin", to)
		}
	}}
	srv.Start()
	t.Cleanup(srv.Close)
	return own
}

// versionProxy starts a reverse proxy, and returns its address and the protocol versions of the calls that pass it.
func versionProxy(t *testing.T, to string) (address string, versions func() []string) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all []string
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			mu.Lock()
			if v := r.Header.Get("Mcp-Protocol-Version"); !slices.Contains(all, v) {
				all = append(all, v)
			}
			mu.Unlock()
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// Public client libraries list, read, and get the expected refusals, each in the newest version of the protocol that it
// speaks. With a wrong key, without one, or at another URL, they fail.
// Rules: M141, M203.
func TestAssistant_ClientLibraries(t *testing.T) {
	t.Parallel()
	p := systemtest.StartWithConversation(t)
	node := mcpNode(t)
	mcpgo := filepath.Join(t.TempDir(), "mcpgo")
	if out, status := program(t, "../../../test/mcpgo", "go", "build", "-o", mcpgo, "."); status != 0 {
		t.Fatal(out)
	}
	_, bad := endpoints(t, p)
	more := systemtest.RunJSON[messagingverbs.Key](p.Operator(), "api-keys", "create", "--account", p.Accounts.Business.ID)
	p.Operator().Run("api-keys", "set", "--account", p.Accounts.Business.ID, more.ID, "--tool", "search", "--tool", "unread", "--tool", "attachments", "--tool", "status", "--tool", "send")
	for library, version := range map[string]string{
		"go-sdk": "2026-07-28", "mcp-go": "2026-07-28", "client-auto": "2026-07-28", "client-pinned": "2026-07-28", "ai-sdk": "2026-07-28", "mastra": "2026-07-28", "openai": "2026-07-28",
		"sdk": "2025-11-25", "client": "2025-11-25", "langchain": "2025-11-25", "mcp-remote": "2025-11-25",
	} {
		t.Run(library, func(t *testing.T) {
			run := func(url, key string) (string, int) {
				if strings.Contains(library, "go") && library != "langchain" {
					return program(t, "", mcpgo, library, url, key)
				}
				return program(t, mcpFolder, node, "client.mjs", library, url, key)
			}
			proxy, versions := versionProxy(t, p.BaseURL)
			out, status := run(proxy+"/mcp", p.Accounts.Business.LiveKey)
			var report clientReport
			if err := json.Unmarshal([]byte(out), &report); err != nil || status != 0 {
				t.Fatalf("the client ended with %d, want 0: %s", status, out)
			}
			if fmt.Sprint(report.Tools) != "[list_conversations read_conversation reply mark_read]" || report.Server != "griot" && report.Server != "" ||
				!strings.HasPrefix(report.Text, "WARNING: ") || !strings.Contains(report.Text, "Où est ma commande ?") || !strings.Contains(report.Refused, `"code":"conversation_not_found"`) {
				t.Errorf("the client reported %+v", report)
			}
			out, status = run(proxy+"/mcp", more.Key)
			report = clientReport{}
			if err := json.Unmarshal([]byte(out), &report); err != nil || status != 0 ||
				fmt.Sprint(report.Tools) != "[list_conversations read_conversation reply mark_read search_messages mark_unread read_attachment read_message_status read_quota send_message]" ||
				!strings.HasPrefix(report.Found, "WARNING: ") || !strings.Contains(report.Found, "Où est ma commande ?") {
				t.Errorf("with more tools, the client ended with %d: %s", status, out)
			}
			if got := versions(); !slices.Equal(got, []string{version}) {
				t.Errorf("the client called in the versions %q, want %s", got, version)
			}
			for what, at := range bad {
				if builds := []string{"mastra", "openai", "langchain", "mcp-remote"}; slices.Contains(builds, library) && what != "a wrong key" {
					continue // they use one of the other libraries, and take long to start
				}
				if out, status := run(at[0], at[1]); status == 0 {
					t.Errorf("%s: %s", what, out)
				}
			}
		})
	}
}

// The protocol's inspector lists and calls the tools. It takes a start of Node.js for each line: make test-long runs
// it, and make test-system tests the same rule with TestAssistant_ClientLibraries.
// Rules: M141.
func TestAssistant_Inspector(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	p := systemtest.StartWithConversation(t)
	node := mcpNode(t)
	good, bad := endpoints(t, p)
	inspect := func(t *testing.T, url, key string, args ...string) (string, int) {
		t.Helper()
		return program(t, mcpFolder, node, append([]string{
			"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", "--server-url", url, "--transport", "http",
			"--header", "Authorization: Bearer " + key, "--format", "json", "-q",
		}, args...)...)
	}
	const isError, authError = 5, 3 // its exit statuses
	for name, tc := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"the tools' schemas":      {[]string{"--method", "tools/list", "--strict"}, 0, "list_conversations"},
		"the newest protocol":     {[]string{"--protocol-era", "auto", "--method", "tools/list"}, 0, "list_conversations"},
		"the modern protocol":     {[]string{"--protocol-era", "modern", "--method", "tools/list"}, 0, "list_conversations"},
		"the legacy protocol":     {[]string{"--protocol-era", "legacy", "--method", "tools/list"}, 0, "list_conversations"},
		"a call":                  {[]string{"--method", "tools/call", "--tool-name", "list_conversations", "--tool-arg", "limit=2"}, 0, "commande"},
		"a call that is refused":  {[]string{"--method", "tools/call", "--tool-name", "read_conversation", "--tool-arg", "conversationId=none"}, isError, "conversation_not_found"},
		"an argument out of line": {[]string{"--method", "tools/call", "--tool-name", "list_conversations", "--tool-arg", "limit=0"}, isError, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, status := inspect(t, good, p.Accounts.Business.LiveKey, tc.args...); status != tc.status || !strings.Contains(out, tc.says) {
				t.Errorf("exit %d, want %d: %s", status, tc.status, out)
			}
		})
	}
	for what, at := range bad {
		out, status := inspect(t, at[0], at[1], "--method", "tools/list")
		if status == 0 || strings.Contains(what, "key") && status != authError {
			t.Errorf("%s: exit %d: %s", what, status, out)
		}
	}
}

// The protocol's own conformance suite, for the features that Griot has. make test-long runs it. make test-system tests
// the same rules with TestAssistant_ClientLibraries and messaging/api.TestAssistant_Rules.
// Rules: M141, M203.
func TestAssistant_Conformance(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	p := systemtest.StartWithConversation(t)
	node := mcpNode(t)
	_, elsewhere := endpoints(t, p)
	good := reverseProxy(t, p.BaseURL, p.Accounts.Business.LiveKey) + "/mcp" // the suite can't send a header
	bad := map[string]string{
		"a wrong key": reverseProxy(t, p.BaseURL, "svc_live_wrong") + "/mcp", "no key": p.MCPURL, "another address": elsewhere["another address"][0],
	}
	runSuite := func(t *testing.T, url, version, scenario string) (out string, status int, failed map[string]bool) {
		t.Helper()
		results := t.TempDir()
		out, status = program(t, mcpFolder, node, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--scenario", scenario, "--spec-version", version, "-o", results)
		files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
		failed = map[string]bool{}
		for _, file := range files {
			var checks []struct{ ID, Status string }
			raw, failure := os.ReadFile(file)
			err = cmp.Or(err, failure, json.Unmarshal(raw, &checks))
			for _, c := range checks {
				failed[c.ID] = failed[c.ID] || c.Status != "SUCCESS" && c.Status != "INFO" && c.Status != "SKIPPED"
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return out, status, failed
	}
	// The checks that need a feature or a tool that Griot doesn't have.
	excused := map[string][]string{
		"server-stateless": {
			"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400", // the suite's tool test_missing_capability
			"sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel", // its tools test_streaming_elicitation and test_logging_tool
		},
		"caching": {"sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints", "sep-2549-resources-templates-list-caching-hints"},
	}
	for version, scenarios := range map[string][]string{
		"2025-11-25": {"server-initialize", "ping", "tools-list", "dns-rebinding-protection"},
		"2026-07-28": {"server-stateless", "http-header-validation", "tools-list", "caching", "dns-rebinding-protection", "input-required-result-unsupported-methods"},
	} {
		for _, scenario := range scenarios {
			t.Run(version+" "+scenario, func(t *testing.T) {
				out, _, failed := runSuite(t, good, version, scenario)
				if len(failed) == 0 {
					t.Errorf("no checks: %s", out)
				}
				for id, hasFailed := range failed {
					if hasFailed != slices.Contains(excused[scenario], id) {
						t.Errorf("%s: failed %v: %s", id, hasFailed, out)
					}
				}
				for what, url := range bad {
					if out, status, _ := runSuite(t, url, version, scenario); status == 0 {
						t.Errorf("%s passes: %s", what, out)
					}
				}
			})
		}
	}
}
