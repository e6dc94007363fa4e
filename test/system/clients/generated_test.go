package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/test/system/systemtest"
)

const (
	openAPIFolder  = "../../../test/npm-openapi"
	generatorsTime = 3 * time.Minute
)

// generatedReport is the output of each program with a generated client.
type generatedReport struct {
	MessageID string `json:"messageId"`
	Status    string `json:"status"`
	Accepted  int    `json:"accepted"`
	Refused   string `json:"refused"`
	Issuer    string `json:"issuer"`
	Keys      int    `json:"keys"`
}

// Every link of the served OpenAPI documents has a target, third-party linters find no errors in them, third-party
// generators create clients that compile, and the clients call the services. `make test-long ARGS=generators` adds one
// more of each, which take long.
func TestDocuments_LintersAndGeneratorsOfOthers(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	documents := map[string]string{"messaging": fetchedDocument(t, p.BaseURL), "auth": fetchedDocument(t, p.AuthURL)}
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		checkLinks(t, documents["messaging"], p.BaseURL)
		checkLinks(t, documents["auth"], p.AuthURL)
	})
	t.Run("redocly", func(t *testing.T) {
		t.Parallel()
		inFolder(t, openAPIFolder, nil, "node", "node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml", documents["messaging"], documents["auth"])
	})
	t.Run("oapi-codegen", func(t *testing.T) {
		t.Parallel()
		checkGenerated(t, p, goProgram(t, documents))
	})
	t.Run("openapi-typescript", func(t *testing.T) {
		t.Parallel()
		dir := npmProgram(t, "openapi-typescript.ts")
		for name, document := range documents {
			inFolder(t, dir, nil, "node", "node_modules/openapi-typescript/bin/cli.js", document, "-o", "types/"+name+".ts")
		}
		checkGenerated(t, p, compiled(t, dir, "openapi-typescript.js"))
	})
	if os.Getenv("GRIOT_TEST_GENERATORS") == "" {
		return
	}
	t.Run("spectral", func(t *testing.T) {
		t.Parallel()
		for _, document := range documents {
			inFolder(t, openAPIFolder, nil, "node", "node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "-r", "spectral.yaml", "--fail-severity=hint", document)
		}
	})
	t.Run("hey-api", func(t *testing.T) {
		t.Parallel()
		dir := npmProgram(t, "hey-api.ts")
		for name, document := range documents {
			inFolder(t, dir, nil, "node", "node_modules/@hey-api/openapi-ts/bin/run.js", "-i", document, "-o", "hey/"+name)
		}
		checkGenerated(t, p, compiled(t, dir, "hey-api.js"))
	})
}

// fetchedDocument fetches a service's document into a file.
func fetchedDocument(t *testing.T, address string) string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/openapi.yaml", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s/openapi.yaml: got %d and %v, want 200", address, r.StatusCode, err)
	}
	path := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// goProgram builds the program of test/generators with the clients from oapi-codegen, and returns its command.
func goProgram(t *testing.T, documents map[string]string) []string {
	t.Helper()
	const module = "../../../test/generators"
	dir := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum", "program/main.go"} {
		from := filepath.Join(module, file)
		if strings.HasPrefix(file, "program") {
			from = filepath.Join(module, "testdata", file)
		}
		copyInto(t, from, filepath.Join(dir, file))
	}
	for name, document := range documents {
		to := filepath.Join(dir, name, name+".go")
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		inFolder(t, module, nil, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", name, "-o", to, document)
	}
	inFolder(t, dir, nil, "go", "build", "-trimpath", "-o", "called", "./program")
	return []string{filepath.Join(dir, "called")}
}

// npmProgram returns a directory with one of the programs of test/npm-openapi and its packages.
func npmProgram(t *testing.T, name string) string {
	t.Helper()
	packages, err := filepath.Abs(filepath.Join(openAPIFolder, "node_modules"))
	if err == nil {
		_, err = os.Stat(filepath.Join(packages, "openapi-fetch"))
	}
	if err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	dir := t.TempDir()
	for _, file := range []string{name, "tsconfig.json"} {
		copyInto(t, filepath.Join(openAPIFolder, "programs", file), filepath.Join(dir, file))
	}
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compiled compiles a directory's TypeScript and returns the command of a program in it.
func compiled(t *testing.T, dir, program string) []string {
	t.Helper()
	inFolder(t, dir, nil, "node", "node_modules/typescript/bin/tsc", "-p", ".")
	return []string{"node", filepath.Join(dir, "out", program)}
}

func copyInto(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inFolder runs a command in a directory and returns its output. The command must succeed.
func inFolder(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generatorsTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(systemtest.Environ(), "NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// checkGenerated runs a program with generated clients: it sends, reads, is refused, and requests the login service's
// metadata.
func checkGenerated(t *testing.T, p *systemtest.Dev, command []string) {
	t.Helper()
	out := inFolder(t, ".", []string{"GRIOT_KEY=" + p.Accounts.Business.LiveKey}, append(command, p.BaseURL, p.AuthURL)...)
	var got generatedReport
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.HasPrefix(got.MessageID, "msg_") || got.Status == "" || got.Accepted != 2 || got.Refused != "invalid_phone" {
		t.Errorf("got %+v, want a message with a status, a batch of two, and invalid_phone", got)
	}
	if got.Issuer != p.AuthURL || got.Keys == 0 {
		t.Errorf("got the issuer %q and %d keys, want %q and some", got.Issuer, got.Keys, p.AuthURL)
	}
}

// checkLinks follows every link of a document on its service: those in descriptions, and the URLs in examples, such as
// docsUrl.
func checkLinks(t *testing.T, document, address string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]bool{}
	for _, m := range linkInDocument.FindAllStringSubmatch(string(text), -1) {
		links[m[1]+m[2]] = true
	}
	if len(links) < 10 {
		t.Errorf("got %d links in the document, want more: %v", len(links), links)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	pages := map[string]string{}
	for link := range links {
		path, id, _ := strings.Cut(link, "#")
		page, seen := pages[path]
		if !seen {
			page = fetchPage(t, client, address+path)
			pages[path] = page
		}
		if id != "" && !strings.Contains(page, ` id="`+id+`"`) {
			t.Errorf("%s: the page has no %s", link, id)
		}
	}
}

// linkInDocument matches a link to the documentation, or a URL of the service in an example.
var linkInDocument = regexp.MustCompile(`\]\((/docs/[^)]+)\)|https://(?:api|auth)\.example\.com(/[^'"\s,}\]]+)`)

func fetchPage(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Accept", "text/html")
	r, err := client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	page, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode == http.StatusNotFound || r.StatusCode >= http.StatusInternalServerError {
		t.Errorf("%s: got %d and %v, want a page, or that something else is wanted", address, r.StatusCode, err)
	}
	return string(page)
}
