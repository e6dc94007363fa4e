// Griot-whatsapp is a gateway for Griot that holds linked WhatsApp numbers. See the module's README.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"example.com/griot/griot-whatsapp/config"
	"example.com/griot/griot-whatsapp/internal/seal"
	"example.com/griot/griot-whatsapp/store"
)

var version = "dev"

const usage = `griot-whatsapp holds linked WhatsApp numbers for Griot.

  griot-whatsapp pair --number 22376543210   link a number: scan the code with its phone
  griot-whatsapp serve                       send and receive for Griot
  griot-whatsapp devices list                the linked numbers
  griot-whatsapp devices remove NUMBER       forget one
  griot-whatsapp version

Each takes --config FILE (or GRIOT_WHATSAPP_CONFIG).
`

// errUsage reports an invalid command line.
var errUsage = errors.New("griot-whatsapp help says what there is")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "griot-whatsapp:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	if len(args) == 0 {
		args = []string{"help"}
	}
	switch args[0] {
	case "pair":
		return pair(ctx, args[1:], out, errs)
	case "serve":
		return serve(ctx, args[1:], errs)
	case "devices":
		return devices(ctx, args[1:], out, errs)
	case "version", "--version":
		_, err := fmt.Fprintln(out, "griot-whatsapp", version)
		return err
	case "help", "--help", "-h":
		_, err := fmt.Fprint(out, usage)
		return err
	}
	return errUsage
}

// flags returns a flag set with the flag --config.
func flags(name string, errs io.Writer) (*flag.FlagSet, *string) {
	set := flag.NewFlagSet("griot-whatsapp "+name, flag.ContinueOnError)
	set.SetOutput(errs)
	return set, set.String("config", os.Getenv("GRIOT_WHATSAPP_CONFIG"), "the file with the settings")
}

// open opens the store. If there is no master key, it creates one. It fails if the store was sealed with another key.
func open(ctx context.Context, c *config.Config) (*store.Store, error) {
	key, err := seal.LoadKey(c.MasterKeyFile, true)
	if err != nil {
		return nil, fmt.Errorf("the master key: %w", err)
	}
	box, err := seal.New(key)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, c.Store, box, store.Limits{Events: c.Spool.Events, Bytes: c.Spool.Bytes})
}
