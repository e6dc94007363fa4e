package clients_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A partyCommand is the result of a program of the command line that has signed a person in with their browser.
type partyCommand struct {
	page           partyResponse // the last one in the browser
	stdout, stderr string
	err            error // of the program
}

// runPartyCommand runs a program that prints the address of a page, opens the page in a new browser, signs a person in,
// and waits for the end of the program.
func runPartyCommand(t *testing.T, issuer *partyIssuer, address *regexp.Regexp, login partyLogin, cmd *exec.Cmd) partyCommand {
	t.Helper()
	var stdout bytes.Buffer
	stderr := &systemtest.Buffer{}
	cmd.Stdout, cmd.Stderr, cmd.Env = &stdout, stderr, append(append(systemtest.Environ(), issuer.variables()...), cmd.Env...)
	cmd.WaitDelay = time.Second // a child can hold the output open
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var found []string
	waittest.Until(t, func() error {
		if found = address.FindStringSubmatch(stderr.String()); found != nil {
			return nil
		}
		select {
		case err := <-ended:
			t.Fatalf("%v: %v\n%s%s", cmd.Args, err, &stdout, stderr)
		default:
		}
		return fmt.Errorf("the program prints no address: %s", stderr)
	})
	site, someone := &partySite{issuer: issuer}, issuer.person(t)
	authorize := found[1]
	if !strings.HasPrefix(authorize, issuer.url) {
		authorize = site.authorizes(t, someone, authorize).String()
	}
	r := partyCommand{page: site.browse(t, someone, login(someone, authorize).String())}
	r.err = waittest.Receive(t, ended)
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

// exitCode returns the exit code of the program.
func (r *partyCommand) exitCode() int {
	if exit := (*exec.ExitError)(nil); errors.As(r.err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// declined is the login of a person who declines. No message is sent.
func declined(_ *systemtest.Person, authorize string) *url.URL {
	request, err := url.Parse(authorize)
	if err != nil {
		panic(err)
	}
	back, err := url.Parse(request.Query().Get("redirect_uri"))
	if err != nil {
		panic(err)
	}
	back.RawQuery = url.Values{
		"error": {"access_denied"}, "error_description": {"The person declined."}, "state": {request.Query().Get("state")},
		"iss": {request.Scheme + "://" + request.Host},
	}.Encode()
	return back
}
