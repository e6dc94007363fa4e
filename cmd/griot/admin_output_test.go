package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	messagingverbs "example.com/griot/messaging/verbs"
)

// adminScript runs every command of `griot admin` that needs no running server, on one database. "name: " before a
// command stores its result's first identifier, and $name is replaced with it. Each command runs with --json and then
// without. {n} is 1 and then 2. A line that starts with "- " runs only without --json.
const adminScript = `
tenants list
tenant: tenants create --name Banque{n}
tenants rename $tenant --name Caisse
tenants list
client: clients create --tenant $tenant --type CONFIDENTIAL --mode TEST --redirect https://app.example/cb --redirect http://127.0.0.1/cb
public: clients create --tenant $tenant --type PUBLIC --mode LIVE --redirect com.example.app:/cb
clients rename $client --name Site
clients set $client --redirect https://app.example/other
clients deactivate $client
clients activate $client
clients rotate $client
clients rotate $public
clients list --tenant $tenant
clients delete $public --yes
clients delete $public
invitations create --tenant $tenant --single-use --ttl 90m
invitation: invitations list --tenant $tenant
invitations revoke $invitation
invitations list --tenant $tenant
tenants webhook set --tenant $tenant --url https://hooks.example/logins
tenants webhook show --tenant $tenant
tenants webhook disable --tenant $tenant
tenants webhook enable --tenant $tenant
tenants webhook rotate-secret --tenant $tenant
tenants webhook ping --tenant $tenant
tenants webhook resend-failed --tenant $tenant --since 2026-01-01
people detach $tenant --tenant $tenant
people move $tenant --tenant $tenant --phone +22370011244
people move $tenant --tenant $tenant --phone 70011244
people move $tenant --tenant $tenant --phone 70011244 --country ML
people move $tenant --tenant $tenant --phone 7001124 --country ML
keys list
keys rotate
keys rotate --emergency
events --tenant $tenant --limit 3
plans list
plans set pro --daily-limit 500 --inbox=false
plans set none --rate 1
account: accounts create --name Boutique{n} --email awa{n}@example.com --lang en --recipient-cap 3
accounts list
accounts list --find boutique
accounts show $account
accounts set $account --plan pro --plan-expires 2099-01-01 --trial-ends none --fallback-after 90s
accounts set $account --name http://x.example
accounts set $account --trial-ends soon
accounts reopen $account
accounts suspend $account --reason Spam
accounts show $account
accounts resume $account
accounts suspend $account
project: projects create --account $account --name Site{n}
projects rename --account $account $project --name Shop
projects list --account $account
key: api-keys create --account $account --kind project --project $project
api-keys create --account awa1@example.com
assistant: api-keys create --account $account
api-keys set --account $account $assistant --tool search --tool send
api-keys set --account $account $assistant
api-keys set --account $account $assistant --tool delete
api-keys set --account $account $key --tool search
api-keys set --account $account none
api-keys list --account $account
api-keys revoke --account $account $key
api-keys revoke --account $account
member: members invite --account $account --email dev{n}@example.com --role viewer
members list --account $account
members remove --account $account $member
- gateways add mails --kind smtp --settings $settings
gateways set mails --settings $settings
gateways list
gateways test mails
gateways send-test mails --to awa@example.com
senders add --channel sms --address 70011244 --country ML --gateway none
senders add --channel sms --address 36000 --country ML --gateway none
senders add --channel sms --address 360000000 --country ML --gateway none
sender: senders add --account $account --channel email --address awa{n}@boutique.example --gateway mails --warm-up 50 --warm-up-days 7
senders add --channel email --address all{n}@griot.example --gateway mails
senders list
senders list --limit 1
senders list --find boutique
senders list --account $account
senders list --account $account --find boutique
senders warm-up $sender --off
senders warm-up $sender --warm-up 20 --warm-up-days 3
senders warm-up $sender --warm-up 20
senders pause $sender
senders resume $sender
senders pair $sender
senders remove $sender --cancel --reroute
senders remove $sender --cancel
webhooks endpoints
webhooks set --account $account --url https://hooks.example/messages
webhooks show --account $account
webhooks disable --account $account
webhooks enable --account $account
webhooks rotate-secret --account $account
webhooks rotate-stream-secret --account $account
webhooks read-receipts --account $account --on=false
event: webhooks ping --account $account
webhooks list --account $account --delivery pending
webhooks list --account $account --delivery late
webhooks attempts $event --account $account
webhooks resend $event --account $account
webhooks resend-failed --account $account --since 2026-01-01
webhooks endpoints
otp list
otp lift 223
audit --limit 100
audit --account $account --action key.
messages show msg_none
health
pause
health
resume
master-key show
people ids list
- people ids withdraw shops~ML.9001~22376000001
people export +22370000001
people export 70000001 --country ML
people export 70000001 --country Atlantis
people erase +22370000001 --yes
projects delete --account $account $project --yes
accounts delete $account --yes
accounts show $account
accounts reopen $account
accounts delete $account --now --yes
- gateways remove none
tenants delete $tenant --yes
open
`

// changing are the parts of an output that differ between runs, with their replacements in the file.
var changing = []struct {
	is *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`), "DAY"},
	{regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`), "ID"},
	{regexp.MustCompile(`(?m)"kid": "[^"]+|(begins +svc_[a-z]+_).{5}|^[A-Za-z0-9_-]{43} |(sealing"?:? +"?)\S{12}`), "${1}RANDOM "},
	{regexp.MustCompile(`"prefix": "svc_[a-z]+_.{5}|\bsvc_(live|proj|test)_[A-Za-z0-9_-]{5} `), "svc_RANDOM "},
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`), "whsec_RANDOM"},
	{regexp.MustCompile(`\b(cl_test|cl_live|cs|evt|inv|msg|snd|svc_[a-z]+)_[A-Za-z0-9_-]{16,}`), "${1}_RANDOM"},
	{regexp.MustCompile(`#[A-Za-z0-9_-]{43}`), "#RANDOM"},
	{regexp.MustCompile(`[A-Za-z0-9_-]{42,}`), "RANDOM"},
	{regexp.MustCompile(`"(size|logSize|freeDisk|latencyMs|aheadMs|schema)": -?\d+`), `"$1": N`},
	{regexp.MustCompile(`(?m)^(schema|bytes|bytes of the log|free bytes|clock ahead .ms.|database version) +[\d.]+$`), "$1  N"},
	{regexp.MustCompile(`"version": "\d+\.\d+\.\d+"`), `"version": "N"`},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
}

// TestAdmin_Output compares the output of the commands with testdata/admin/output.txt, and checks that each command
// that changes something stores an audit event. A commit that changes the file must describe the change. `go test -run
// '^TestAdmin_Output$' ./cmd/griot -record` writes it again.
func TestAdmin_Output(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "master.key"), []byte(seal.NewMasterKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(dir, "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(settings, []byte(`{"host":"127.0.0.1","port":1,"tls":"none"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tables := slices.Concat(authverbs.Table(), messagingverbs.Table(), rotationTable())
	kept, events := map[string]string{"settings": settings}, auditEvents(t, dir)
	var out strings.Builder
	run1 := func(line string, n int, args ...string) string {
		words := strings.Fields(strings.ReplaceAll(line, "{n}", fmt.Sprint(n)))
		for i, w := range words {
			if name, is := strings.CutPrefix(w, "$"); is {
				words[i] = kept[name]
			}
		}
		var stdout, stderr bytes.Buffer
		c := root()
		c.SetArgs(append(append([]string{"admin"}, words...), append(args, "--data", dir)...))
		c.SetIn(strings.NewReader(""))
		c.SetOut(&stdout)
		c.SetErr(&stderr)
		code := 0
		if err := run(t.Context(), c); err != nil {
			code = exitCode(err)
			fmt.Fprintf(&stderr, "griot: %s\n", err)
		}
		fmt.Fprintf(&out, "$ griot admin %s\n", strings.Join(append(strings.Fields(line), args...), " "))
		fmt.Fprintf(&out, "%s%s", stdout.String(), stderr.String())
		if code != 0 {
			fmt.Fprintf(&out, "exit code %d\n", code)
		}
		before := events
		if events = auditEvents(t, dir); code == 0 && n == 1 {
			c, _, err := root().Find(append([]string{"admin"}, words...))
			if err != nil {
				t.Fatal(err)
			}
			command := strings.TrimPrefix(c.CommandPath(), "griot admin ")
			i := slices.IndexFunc(tables, func(v verb.Verb) bool { return v.Command == command })
			if i >= 0 && tables[i].Danger != verb.Reads && events == before && !strings.Contains(stdout.String(), `"resent": 0`) {
				t.Errorf("%s changes something, and is no audit event", line)
			}
		}
		return stdout.String()
	}
	for _, line := range strings.Split(strings.TrimSpace(adminScript), "\n") {
		if text, is := strings.CutPrefix(line, "- "); is {
			run1(text, 2)
			continue
		}
		name, text, named := strings.Cut(line, ": ")
		if !named {
			text = line
		}
		result := run1(text, 1, "--json")
		if named {
			kept[name] = identifier(result)
		}
		run1(text, 2)
	}
	text := out.String()
	for _, c := range changing {
		text = c.is.ReplaceAllString(text, c.by)
	}
	compareRecorded(t, "testdata/admin/output.txt", strings.ReplaceAll(text, dir, "DIR"))
}

// auditEvents returns the number of audit events of both services.
func auditEvents(t *testing.T, dir string) (n int) {
	t.Helper()
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(dir, "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read(t.Context()).Row(`SELECT (SELECT COUNT(*) FROM audit_events) + (SELECT COUNT(*) FROM account_audit_events)`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// identifier returns the identifier of a result, or of the first of its list.
func identifier(result string) string {
	var one struct {
		ClientID string `json:"clientId"`
		ID       string `json:"id"`
	}
	list := []json.RawMessage{json.RawMessage(result)}
	_ = json.Unmarshal([]byte(result), &list)
	if len(list) > 0 {
		_ = json.Unmarshal(list[0], &one)
	}
	if one.ClientID != "" {
		return one.ClientID
	}
	return one.ID
}
