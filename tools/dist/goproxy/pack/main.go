// The program pack writes the module in a directory, as git has it now, into a proxy's directory, for tests that use
// the Go client from outside the repository. tools/dist writes releases.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"example.com/griot/tools/dist/goproxy"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("want the module's folder, a version such as v0.1.0, and the proxy's folder")
	}
	c := exec.CommandContext(context.Background(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	c.Dir, c.Stderr = args[0], os.Stderr
	listed, err := c.Output()
	if err != nil {
		return err
	}
	files, err := goproxy.Files(args[0], strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00"))
	if err != nil {
		return err
	}
	return goproxy.Write(args[2], args[1], time.Unix(0, 0), files)
}
