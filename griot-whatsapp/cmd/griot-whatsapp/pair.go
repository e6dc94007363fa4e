package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mdp/qrterminal/v3"

	"example.com/griot/griot-whatsapp/config"
	"example.com/griot/griot-whatsapp/pairing"
	"example.com/griot/griot-whatsapp/protocol"
)

var errNumber = errors.New("--number wants the number that is to be linked: digits with the country code, such as 22376543210")

func pair(ctx context.Context, args []string, out, errs io.Writer) (err error) {
	set, path := flags("pair", errs)
	number := set.String("number", "", "the number that is to be linked")
	phoneCode := set.Bool("phone-code", false, "show a code to type on the phone, instead of a QR code")
	text := set.Bool("text", false, "print the QR code's text, for another program to draw")
	if err := set.Parse(args); err != nil {
		return err
	}
	*number = strings.TrimPrefix(*number, "+")
	if set.NArg() > 0 || !protocol.IsNumber(*number) {
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
	show := func(format string, values ...any) { _, _ = fmt.Fprintf(out, format, values...) }
	show("On the phone of %s: WhatsApp > Settings > Linked devices > Link a device.\n", *number)
	pairer := &pairing.Pairer{Store: s, WhatsApp: whatsAppClient(), Lease: lease, Passkey: func(ctx context.Context, request []byte) ([]byte, error) {
		return askPasskey(ctx, request, os.Stdin, out)
	}}
	err = pairer.Pair(ctx, *number, *phoneCode, func(what string, _ time.Time) {
		switch {
		case *phoneCode:
			show("Choose \"Link with phone number instead\" there, and type: %s\n", what)
		case *text:
			show("%s\n", what)
		default:
			show("Scan this code; it changes every 20 seconds.\n\n")
			qrterminal.GenerateHalfBlock(what, qrterminal.L, out)
		}
	})
	if err != nil {
		return err
	}
	show("%s is linked. griot-whatsapp serve connects it; a running one does so by itself.\n", *number)
	return nil
}

// askPasskey shows how to use the passkey in a browser, and reads the response from one line of in. Only a page of
// WhatsApp's website can use the passkey. The click gives the page the focus, without which browsers refuse.
func askPasskey(ctx context.Context, request []byte, in io.Reader, out io.Writer) ([]byte, error) {
	_, _ = fmt.Fprintf(out, `
WhatsApp requires the passkey of this account. You have five minutes:
  1. Open https://web.whatsapp.com in a browser that can use the passkey. You don't have to log in there.
  2. Open the browser's console (F12), and paste this line:

addEventListener("click", () => navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(%s)}).then(c => console.log(JSON.stringify(c)), console.error), {once: true})

  3. Click on the page, and confirm with the passkey.
  4. The console prints a line that begins with {. Paste it here. It works only once, and only for this pairing.

If you have no passkey there, press Enter.
> `, request)
	line := make(chan []byte, 1)
	go func() {
		text, _ := bufio.NewReaderSize(in, 64<<10).ReadSlice('\n') // what was read is checked below
		line <- bytes.Clone(bytes.Trim(text, " \t\r\n'\""))
	}()
	select {
	case text := <-line:
		if len(text) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return text, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
