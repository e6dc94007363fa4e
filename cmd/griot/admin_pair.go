package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/qrcode"
	messagingverbs "example.com/griot/messaging/verbs"
)

const (
	pairingPoll   = time.Second
	pairingSilent = 30 * time.Second // maximum time without a response from the server or the gateway
	pairingCancel = 10 * time.Second // maximum time that Ctrl-C waits for them
)

func sendersPair(o *adminOptions) *cobra.Command {
	byCode := false
	c := &cobra.Command{
		Use: "pair SENDER [--phone-code]", Short: "Link a sender's number to a phone", Long: "Link a sender's number to a phone with a QR code or a pairing code. Press Ctrl-C to cancel.", Args: exactlyOne("SENDER: snd_..."),
		RunE: func(c *cobra.Command, args []string) error {
			in := messagingverbs.PairingStart{ID: args[0], Method: gateway.PairByQR}
			if byCode {
				in.Method = gateway.PairByCode
			}
			p := &pairingSession{o: o, id: in.ID, out: c.OutOrStdout(), terminal: console.IsTerminal(c.OutOrStdout()), color: console.Colors(c.OutOrStdout())}
			return p.run(c.Context(), in)
		},
	}
	c.Flags().BoolVar(&byCode, "phone-code", false, "show a pairing code to type on the phone, instead of a QR code")
	return c
}

// pairingSession shows a pairing until it ends.
type pairingSession struct {
	o        *adminOptions
	id       string
	out      io.Writer
	terminal bool // new output replaces the previous output
	color    bool

	shown messagingverbs.Pairing
	lines int // number of lines of the last output
}

func (p *pairingSession) run(ctx context.Context, in messagingverbs.PairingStart) error {
	now, raw, err := callVerb[messagingverbs.Pairing](ctx, p.o, "senders.pair", in)
	if err != nil && ctx.Err() == nil {
		return err
	}
	answered := time.Now()
	for {
		if err == nil {
			answered = time.Now()
			if showErr := p.show(now, raw); showErr != nil {
				return showErr
			}
			if over, result := pairingResult(now); over {
				return result
			}
		} else if ctx.Err() == nil && time.Since(answered) > pairingSilent {
			return err
		}
		select {
		case <-ctx.Done():
			return p.cancel(ctx)
		case <-time.After(pairingPoll):
		}
		now, raw, err = callVerb[messagingverbs.Pairing](ctx, p.o, "senders.pairing", messagingverbs.ByID{ID: p.id})
	}
}

// cancel ends the pairing. The phone might already have completed it.
func (p *pairingSession) cancel(ctx context.Context) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), pairingCancel)
	defer stop()
	now, raw, err := callVerb[messagingverbs.Pairing](ctx, p.o, "senders.pair-cancel", messagingverbs.ByID{ID: p.id})
	if err != nil {
		return &exit.Error{Code: exit.CodeInterrupted, Err: fmt.Errorf("interrupted, but the pairing couldn't be canceled and ends automatically: %w", err)}
	}
	if err := p.show(now, raw); err != nil {
		return err
	}
	if now.State == gateway.PairingDone {
		return nil
	}
	return &exit.Error{Code: exit.CodeInterrupted, Err: errors.New("canceled: the number was not linked")}
}

// pairingResult reports whether a pairing has ended, and the error of the command in that case.
func pairingResult(now messagingverbs.Pairing) (over bool, err error) {
	switch now.State {
	case gateway.PairingDone:
		return true, nil
	case gateway.PairingFailed:
		return true, fmt.Errorf("the number was not linked: %s", cmp.Or(pairingReasons()[now.Reason], console.Plain(now.Reason)))
	case gateway.PairingNone:
		return true, errors.New("the number was not linked: the gateway no longer has the pairing")
	case gateway.PairingStarting, gateway.PairingWaiting:
	}
	return false, nil
}

func pairingReasons() map[string]string {
	return map[string]string{
		gateway.PairingExpired:      "no one scanned or typed the code in time",
		gateway.PairingWrongNumber:  "a phone with another number scanned the code and was unlinked",
		gateway.PairingPasskey:      "WhatsApp requires the account's passkey, which only WhatsApp's own applications can provide: remove the passkey on the phone (Settings, Account, Passkeys) and start again; if the phone says that the account must have one, run griot-whatsapp pair on the gateway's machine, which can use it",
		gateway.PairingPasskeyFail:  "WhatsApp requires the account's passkey in a form that the gateway can't read: remove the passkey on the phone (Settings, Account, Passkeys), or update the gateway",
		gateway.PairingCancelled:    "it was canceled",
		gateway.PairingProvider:     "WhatsApp refused; try again in a few minutes",
		gateway.PairingAlreadyThere: "it is already linked: first remove the device on the phone, in WhatsApp under Linked devices",
		"interrupted":               "the gateway was restarted in the meantime",
		"gateway_unavailable":       "the gateway doesn't respond",
		"sender_removed":            "the sender was removed in the meantime",
		"code_refused":              "WhatsApp refused to create a code because too many were requested for the number: wait an hour, or use a QR code",
		"outdated":                  "WhatsApp requires a newer version of the gateway",
		"held_elsewhere":            "another process uses or pairs the number",
		"store_failed":              "the gateway could not store the link",
	}
}

// show shows the progress of the pairing, if it has changed.
func (p *pairingSession) show(now messagingverbs.Pairing, raw []byte) error {
	if now.State == p.shown.State && now.QR == p.shown.QR && now.Code == p.shown.Code {
		return nil
	}
	p.shown = now
	if p.o.json {
		_, err := fmt.Fprintf(p.out, "%s\n", raw)
		return err
	}
	text, err := p.text(now)
	if err != nil {
		return err
	}
	if p.terminal && p.lines > 0 {
		text = fmt.Sprintf("\x1b[%dA\x1b[J", p.lines) + text
	}
	p.lines = strings.Count(text, "\n")
	_, err = io.WriteString(p.out, text)
	return err
}

func (p *pairingSession) text(now messagingverbs.Pairing) (string, error) {
	number := phone.Shown(now.Address)
	open := fmt.Sprintf("On the phone that has %s: WhatsApp, Linked devices, Link a device.\n", number) // lines that fit every terminal
	switch {
	case now.State == gateway.PairingDone:
		return number + " is linked.\n", nil
	case now.QR != "":
		code, err := qrcode.New(now.QR)
		if err != nil {
			return "", err
		}
		return open + "Scan this code. Press Ctrl-C to cancel.\n\n" + code.Text(p.color) + "\n", nil
	case now.Code != "":
		return open + "Then select Link with phone number instead, and type this code. Press Ctrl-C to cancel.\n\n    " + now.Code + "\n\n", nil
	case now.State == gateway.PairingStarting:
		return "Requesting a code…\n", nil
	}
	return "", nil
}
