package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("dist", flag.ContinueOnError)
	root := set.String("root", "../..", "the repository's folder")
	out := set.String("out", "../../dist", "the folder to write, which is made anew")
	on := set.String("targets", strings.Join(targets(), ","), "for which systems")
	authorities := set.String("authorities", "/etc/ssl/certs/ca-certificates.crt", "the certificate authorities that go into the image, in PEM")
	maintainer := set.String("maintainer", "The Griot authors <griot@localhost>", "the Maintainer of the Debian packages")
	if err := set.Parse(args); err != nil {
		return err
	}
	r, err := newRelease(ctx, *root)
	if err != nil {
		return err
	}
	if r.out, err = filepath.Abs(*out); err != nil { // npm packs in another directory
		return err
	}
	r.targets, r.authorities, r.maintainer = strings.Split(*on, ","), *authorities, *maintainer
	return r.make(ctx, programs())
}
