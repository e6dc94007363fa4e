package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
)

// linkedGateway is the name of dev's gateway for linked numbers, and linkedProgram is its program.
const (
	linkedGateway = "linked"
	linkedProgram = "griot-whatsapp"
)

// linkedNumbers is the griot-whatsapp process of --with-whatsapp. All of its files are in a directory below dev's.
type linkedNumbers struct {
	folder  string // absolute
	listen  string
	number  string // the demo business account's number, also for sign-in; "": none was given
	sender  string // the number's
	program string // "": not on the PATH
}

// prepareLinked writes the files for griot-whatsapp. It returns nil without --with-whatsapp. It stores the number.
func prepareLinked(ctx context.Context, o *devOptions, s *devfile.State) (*linkedNumbers, error) {
	number, err := phone.Lookup(o.WithWhatsApp)
	switch {
	case o.WithWhatsApp == "" || o.WithWhatsApp == "false":
		return nil, nil
	case err == nil:
		s.LinkedNumber = string(number)
	case o.WithWhatsApp != withoutNumber:
		return nil, exit.Usage("--with-whatsapp=NUMBER needs digits with the country code, such as 22376543210: the number %w", err)
	}
	folder, err := filepath.Abs(filepath.Join(o.Data, "whatsapp"))
	if err != nil {
		return nil, err
	}
	l := &linkedNumbers{folder: folder, number: s.LinkedNumber}
	if l.listen, err = pickAddress(ctx, o.WhatsAppListen); err != nil {
		return nil, fmt.Errorf("--whatsapp-listen: %w", err)
	}
	if path, err := exec.LookPath(linkedProgram); err == nil {
		l.program = path
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Stat(l.file("griot.secret")); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(l.file("griot.secret"), []byte(newGatewaySecret()+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	return l, l.writeConfig(s.BaseURL)
}

// withoutNumber is the value of --with-whatsapp without a number.
const withoutNumber = "true"

// pickAddress replaces port 0 with a free one, because Griot must know griot-whatsapp's port.
func pickAddress(ctx context.Context, address string) (string, error) {
	if !config.Loopback(address) {
		return "", errors.New("it must be a loopback address")
	}
	if _, port, err := net.SplitHostPort(address); err != nil || port != "0" {
		return address, err
	}
	l, err := listen(ctx, address)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (l *linkedNumbers) file(name string) string { return filepath.Join(l.folder, name) }

func (l *linkedNumbers) writeConfig(baseURL string) error {
	u, err := url.Parse(baseURL)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("# griot dev --with-whatsapp writes this file at each start.\ngriot: %s\nlisten: %s\nallow_plaintext: %t\nkeys: [{id: k1, secret_file: %s}]\nstore: %s\n",
		quoted(baseURL+"/gateways/"+linkedGateway), quoted(l.listen), !config.Loopback(u.Host), quoted(l.file("griot.secret")), quoted(l.file("whatsapp.db")))
	return os.WriteFile(l.file("griot-whatsapp.yaml"), []byte(text), 0o600)
}

// quoted returns a YAML string, using JSON, which is a subset.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}

// besides returns another gateway and, if there is one, this one.
func (l *linkedNumbers) besides(other gatewaystore.Configured) ([]gatewaystore.Configured, error) {
	if l == nil {
		return []gatewaystore.Configured{other}, nil
	}
	settings, err := json.Marshal(map[string]any{
		"url": "http://" + l.listen, "channels": []gateway.Channel{gateway.WhatsApp}, "info_interval": 2, "keys": []map[string]string{{"id": "k1", "secret_file": l.file("griot.secret")}},
	})
	return []gatewaystore.Configured{other, {Name: linkedGateway, Kind: "remote", Settings: settings}}, err
}

// devReceivers returns the numbers that receive the words of logins. The linked number replaces the virtual one,
// because receivers are used in turn and an operator who gives a number wants to sign in with it.
func devReceivers(l *linkedNumbers, secret string) []config.Receiver {
	if l == nil || l.number == "" {
		return []config.Receiver{{PhoneID: demoReceiver, Number: demoReceiver, Gateway: devGateway, Secret: secret}}
	}
	return []config.Receiver{{PhoneID: linkedGateway, Number: l.number, Gateway: linkedGateway, Secret: secret}}
}

// seedLinked makes the number a sender of the demo business account.
func seedLinked(ctx context.Context, a *app, s *devfile.State, l *linkedNumbers) error {
	if l == nil || l.number == "" {
		return nil
	}
	found, err := a.messaging.Directory.SenderAt(ctx, string(gateway.WhatsApp), l.number)
	if err != nil {
		return err
	}
	if found == nil {
		sender := account.Sender{AccountID: s.Accounts.Business.ID, Channel: gateway.WhatsApp, Address: l.number, Gateway: linkedGateway, Position: -1}
		if found, err = a.messaging.Directory.AddSender(ctx, sender, true, func(*db.Tx, string) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	if found.Gateway != linkedGateway {
		return fmt.Errorf("--with-whatsapp: the number is a sender of the gateway %s", found.Gateway)
	}
	l.sender = found.ID
	to := &s.Accounts.Business.Senders
	if found.AccountID == s.Accounts.Business.ID && !slices.ContainsFunc(*to, func(d devfile.Sender) bool { return d.ID == found.ID }) {
		*to = append(*to, devfile.Sender{ID: found.ID, Channel: string(found.Channel), Address: found.Address})
	}
	return nil
}

// run keeps griot-whatsapp running until ctx ends, and returns after it has ended.
func (l *linkedNumbers) run(ctx context.Context, log *slog.Logger) {
	for pause := time.Second; l.program != "" && ctx.Err() == nil; pause = min(2*pause, time.Minute) {
		err := l.serve(ctx)
		if ctx.Err() != nil {
			return
		}
		log.Error(linkedProgram+" has stopped and is being restarted", "err", err, "log", l.file("griot-whatsapp.log"), "in", pause)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// awaitListener returns when griot-whatsapp listens, so that Griot doesn't start with an unreachable gateway, or after
// two seconds.
func (l *linkedNumbers) awaitListener(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for l.program != "" && ctx.Err() == nil {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.listen); err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// serve runs griot-whatsapp once. It ends when its standard input is closed, so it ends with this process in every
// case.
func (l *linkedNumbers) serve(ctx context.Context) error {
	out, err := os.OpenFile(l.file("griot-whatsapp.log"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	c := exec.CommandContext(ctx, l.program, "serve", "--config", l.file("griot-whatsapp.yaml"), "--end-with-stdin") //nolint:gosec // the program is found on the PATH of whoever runs dev
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	c.Cancel, c.WaitDelay = in.Close, 30*time.Second
	c.Stdout, c.Stderr = out, out
	c.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { // variables override the file
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"GRIOT_WHATSAPP_GRIOT", "GRIOT_WHATSAPP_LISTEN", "GRIOT_WHATSAPP_SECRET_FILE", "GRIOT_WHATSAPP_STORE", "GRIOT_WHATSAPP_MASTER_KEY_FILE"}, name)
	})
	return c.Run()
}

// notes returns the notes about it for the banner.
func (l *linkedNumbers) notes(s *devfile.State) string {
	if l == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("Linked WhatsApp numbers (docs/gateways/whatsapp-linked.md):\n\n")
	if l.number == "" {
		b.WriteString("  To use your number as a sender of the demo business account, run griot dev --with-whatsapp=NUMBER\n")
	} else {
		fmt.Fprintf(&b, "  %s is a sender of the demo business account, and people sign in by sending a message to it.\n  Link its phone at %s/dashboard/senders/%s/pair (as %s), or run\n\n    griot admin senders pair %s --data %s\n",
			l.number, s.BaseURL, l.sender, s.Accounts.Business.Email, l.sender, filepath.Dir(l.folder))
	}
	if l.program == "" {
		fmt.Fprintf(&b, "\n  %s isn't in the PATH. Build and start it in a copy of Griot's source. Griot finds it while it runs:\n\n"+
			"    (cd griot-whatsapp && go build -o ../bin/%s ./cmd/%s)\n    bin/%s serve --config %s\n", linkedProgram, linkedProgram, linkedProgram, linkedProgram, l.file("griot-whatsapp.yaml"))
	}
	b.WriteString("\n")
	return b.String()
}
