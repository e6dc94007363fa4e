// Check prints the violations of Griot's guarantees in a history: check FILE. It exits with 1 if there are any, and with 2
// if the file is not a history.
package main

import (
	"fmt"
	"io"
	"os"

	"example.com/griot/test/system/fleet/history"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check FILE")
		os.Exit(2)
	}
	os.Exit(check(os.Args[1], os.Stdout, os.Stderr))
}

// check checks the history in a file and returns the exit code.
func check(path string, out, errs io.Writer) int {
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(errs, "check:", err)
		return 2
	}
	defer func() { _ = f.Close() }()
	h, err := history.Parse(f)
	if err != nil {
		fmt.Fprintln(errs, "check:", err)
		return 2
	}
	found := history.Check(h)
	for _, violation := range found {
		fmt.Fprintln(out, violation)
	}
	if len(found) > 0 {
		return 1
	}
	return 0
}
