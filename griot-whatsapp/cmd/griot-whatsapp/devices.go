package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"example.com/griot/griot-whatsapp/config"
	"example.com/griot/griot-whatsapp/pairing"
)

func devices(ctx context.Context, args []string, out, errs io.Writer) (err error) {
	if len(args) == 0 {
		return errUsage
	}
	set, path := flags("devices", errs)
	if err := set.Parse(args[1:]); err != nil {
		return err
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
	switch {
	case args[0] == "list" && set.NArg() == 0:
		numbers, err := s.Numbers(ctx)
		if err != nil {
			return err
		}
		for _, n := range numbers {
			state := n.State
			if state == "" {
				state = "linked"
			}
			if _, err := fmt.Fprintf(out, "%s\t%s\tsince %s\n", n.Number, state, n.Paired.Format(time.DateOnly)); err != nil {
				return err
			}
		}
		return nil
	case args[0] == "remove" && set.NArg() == 1:
		number := set.Arg(0)
		if err := pairing.Forget(ctx, s, number, ""); err != nil {
			return err
		}
		removed, err := s.Remove(ctx, number)
		if err != nil {
			return err
		}
		if !removed {
			return fmt.Errorf("%s is not linked", number)
		}
		_, err = fmt.Fprintf(out, "%s is forgotten here. On its phone the device is still listed: unlink it there too.\n", number)
		return err
	}
	return errUsage
}
