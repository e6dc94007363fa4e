package systemtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/griot/internal/db/dbtest"
)

// programs names the directory in which scripts/test.sh has built the programs under test, griot and griot-failpoints.
// Without it, each test binary builds those that it needs.
const programs = "GRIOT_TEST_PROGRAMS"

// griot is the package of the program under test.
const griot = "example.com/griot/cmd/griot"

// Binary is the path of the program under test, the real program in its release build.
var Binary string

// runPrograms is the directory of the programs that the run has built, and ownPrograms that of this test binary.
var runPrograms, ownPrograms string

// Main runs the tests of a package and exits. Before the tests, it builds the program if the run hasn't built it. After
// them, it calls stop.
func Main(m *testing.M, stop ...func()) {
	code, err := run(m, stop)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func run(m *testing.M, stop []func()) (code int, err error) {
	runPrograms = os.Getenv(programs)
	if err := os.Unsetenv(programs); err != nil { // the programs refuse variables that are only for tests
		return 1, err
	}
	if err := os.Setenv("GOWORK", "off"); err != nil { // commands in other modules use their own versions
		return 1, err
	}
	if ownPrograms, err = os.MkdirTemp("", "griot-test-"); err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(ownPrograms) }()
	if Binary, err = program("griot", griot); err != nil {
		return 1, err
	}
	defer dbtest.Stop()
	for _, f := range stop {
		defer f()
	}
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		_ = flag.Set(p.Name, "3") // these tests wait for processes and browsers: two concurrent tests would leave two cores idle, and more than three would reach their time limits
	}
	return m.Run(), nil
}

// program returns the path of a program that the run has built, or builds it from a package with flags.
func program(name, from string, flags ...string) (string, error) {
	if path := filepath.Join(runPrograms, name); runPrograms != "" {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	path := filepath.Join(ownPrograms, name)
	args := append(append([]string{"build", "-o", path}, flags...), from)
	if out, err := exec.CommandContext(context.Background(), "go", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
}

// FailpointBinary returns the path of the program that dies at the failpoint that GRIOT_FAILPOINT names, and contains
// the faults for planting.
var FailpointBinary = sync.OnceValues(func() (string, error) { return program("griot-failpoints", griot, "-tags", "failpoints") })

// BenchBinary returns the path of the program that measures the others.
var BenchBinary = sync.OnceValues(func() (string, error) { return program("bench", "example.com/griot/bench") })

// Environ returns the environment of the programs under test: without the variables that are only for tests, which they
// refuse.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRIOT_TEST_") })
}
