// Command withpostgres runs a command with a temporary PostgreSQL server. The command and its children find the
// server's address in TEST_POSTGRES. So the packages of a test run share one server instead of starting one each.
//
//	go run ./internal/db/dbtest/withpostgres go test ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"example.com/griot/internal/db/dbtest"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(code)
}

func run(command []string) (code int, err error) {
	if len(command) == 0 {
		return 2, errors.New("name the command to run")
	}
	url, err := dbtest.Shared()
	if err != nil {
		return 1, err
	}
	defer dbtest.Stop()
	c := exec.CommandContext(context.Background(), command[0], command[1:]...) //nolint:gosec // the caller's own command
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "TEST_POSTGRES="+url)
	err = c.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
