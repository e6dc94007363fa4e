//go:build failpoints

package main

import (
	"os"
	"syscall"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/failpoint"
)

// shiftClock shifts the program's clock by the duration in TEST_CLOCK_OFFSET.
func shiftClock() {
	if by, err := time.ParseDuration(os.Getenv("TEST_CLOCK_OFFSET")); err == nil {
		clock.Shift(by)
	}
}

// plantFault plants the fault in TEST_FAULT, which test/system/fleet or test/system/crash must detect.
func plantFault() { failpoint.Plant(os.Getenv("TEST_FAULT")) }

// killPoint returns a function that kills the process by SIGKILL at the failpoint that GRIOT_FAILPOINT names. It is only in
// the program that tests build.
func killPoint() func(string) {
	at := os.Getenv("GRIOT_FAILPOINT")
	return func(point string) {
		if point == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// fetchesFromHere reports whether attachments can be fetched from this machine over http, which only tests need.
func fetchesFromHere() bool { return os.Getenv("GRIOT_FETCH_FROM_HERE") != "" }
