package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/mdp/qrterminal/v3"
	"go.mau.fi/whatsmeow/types"

	"griot/gateways/whatsapp/config"
	"griot/gateways/whatsapp/device"
	"griot/gateways/whatsapp/internal/seal"
	"griot/gateways/whatsapp/store"
)

// pairTimeout is a little longer than WhatsApp offers codes.
const pairTimeout = 4 * time.Minute

var (
	errNumber = errors.New("--number wants the number that is to be linked: digits with the country code, such as 22376543210")
	errInUse  = errors.New("a process holds this number now: it is linked already (devices remove forgets it), or its process has just died (try again in half a minute)")
)

var numberForm = regexp.MustCompile(`^[1-9][0-9]{7,14}$`)

func pair(ctx context.Context, args []string, out, errs io.Writer) (err error) {
	set, path := flags("pair", errs)
	number := set.String("number", "", "the number that is to be linked")
	phoneCode := set.Bool("phone-code", false, "show a code to type on the phone, instead of a QR code")
	text := set.Bool("text", false, "print the QR code's text, for another program to draw")
	if err := set.Parse(args); err != nil {
		return err
	}
	*number = strings.TrimPrefix(*number, "+")
	if set.NArg() > 0 || !numberForm.MatchString(*number) {
		return errNumber
	}
	c, err := config.Load(*path, os.Getenv)
	if err != nil {
		return err
	}
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, pairTimeout)
	defer cancel()
	// Nobody else connects the number meanwhile.
	held, err := s.Acquire(ctx, *number, seal.Name(), pairTimeout+time.Minute)
	if err != nil {
		return err
	}
	if held == nil {
		return errInUse
	}
	defer func() { err = errors.Join(err, held.Release(context.WithoutCancel(ctx))) }()
	show := func(format string, values ...any) { _, _ = fmt.Fprintf(out, format, values...) }
	show("On the phone of %s: WhatsApp > Settings > Linked devices > Link a device.\n", *number)
	jid, err := device.Pair(ctx, device.PairConfig{
		Store: s.Devices.NewDevice(), Number: *number, Code: *phoneCode, HTTP: whatsAppClient(),
		ShowQR: func(code string) {
			if *text {
				show("%s\n", code)
				return
			}
			show("Scan this code; it changes every 20 seconds.\n\n")
			qrterminal.GenerateHalfBlock(code, qrterminal.L, out)
		},
		ShowCode: func(code string) { show("Choose \"Link with phone number instead\" there, and type: %s\n", code) },
	})
	if err != nil {
		return err
	}
	if err := forgetDevice(ctx, s, *number, jid); err != nil {
		return err
	}
	if err := s.Save(ctx, *number, jid); err != nil {
		return err
	}
	show("%s is linked. griot-whatsapp serve connects it; a running one does so by itself.\n", *number)
	return nil
}

// forgetDevice deletes the keys of a number's older pairing.
func forgetDevice(ctx context.Context, s *store.Store, number, except string) error {
	numbers, err := s.Numbers(ctx)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n.Number != number || n.JID == except {
			continue
		}
		jid, err := types.ParseJID(n.JID)
		if err != nil {
			return err
		}
		old, err := s.Devices.GetDevice(ctx, jid)
		if err != nil || old == nil {
			return err
		}
		return old.Delete(ctx)
	}
	return nil
}
