package clients_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// kubelogin, as kubectl runs it, gets an ID token for each person, keeps it for the next call, and shows why a login
// failed.
func TestRelyingParties_Kubelogin(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	program, issuer := buildParty(t, "kubelogin", "github.com/int128/kubelogin"), startPartyIssuer(t)
	for _, kind := range []string{"PUBLIC", "CONFIDENTIAL"} {
		t.Run(kind, func(t *testing.T) {
			listens := systemtest.FreeAddress(t)
			client := issuer.client(kind, "LIVE", strings.Replace("http://"+listens, "127.0.0.1", "localhost", 1))
			get := func(cache string) *exec.Cmd {
				args := []string{
					"get-token", "--oidc-issuer-url=" + issuer.url, "--oidc-client-id=" + client.ClientID, "--certificate-authority=" + issuer.files.Cert,
					"--listen-address=" + listens, "--skip-open-browser", "--token-cache-dir=" + cache,
				}
				if client.ClientSecret != "" {
					args = append(args, "--oidc-client-secret="+client.ClientSecret)
				}
				return exec.CommandContext(waittest.Context(t), program, args...)
			}
			address := regexp.MustCompile(`URL in your browser: (\S+)`)
			issuer.tellsPeopleApart(t, func(login partyLogin) string {
				cache := t.TempDir()
				got := runPartyCommand(t, issuer, address, login, get(cache))
				kept, err := get(cache).Output()
				if err != nil || string(kept) != got.stdout {
					t.Errorf("the next call prints %s, %v; want %s without a login", kept, err, got.stdout)
				}
				return kubernetesUser(t, got.stdout)
			})
			got := runPartyCommand(t, issuer, address, declined, get(filepath.Join(t.TempDir(), "cache")))
			if got.exitCode() == 0 || got.stdout != "" || got.page.status != http.StatusInternalServerError || !strings.Contains(got.stderr, "access_denied The person declined.") {
				t.Errorf("after an error the page is %d %s, and the program prints %s and %s", got.page.status, got.page.body, got.stdout, got.stderr)
			}
		})
	}
}

// kubernetesUser returns the person's name in Kubernetes by default: the sub of the token in a response to kubectl.
func kubernetesUser(t *testing.T, credential string) string {
	t.Helper()
	var answer struct {
		Kind   string
		Status struct{ Token string }
	}
	var claims struct{ Sub string }
	if err := json.Unmarshal([]byte(credential), &answer); err != nil || answer.Kind != "ExecCredential" {
		t.Fatalf("%v: %s", err, credential)
	}
	_, rest, _ := strings.Cut(answer.Status.Token, ".")
	payload, _, _ := strings.Cut(rest, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(payload)
	if err == nil {
		err = json.Unmarshal(decoded, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims.Sub
}
