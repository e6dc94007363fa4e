//go:build faultpoints

package main

import (
	"os"
	"syscall"
)

// dyingAt makes the process die by SIGKILL at the point of the engine that
// GRIOT_DIE_AT names. It is only in the program that tests build.
func dyingAt() func(string) {
	at := os.Getenv("GRIOT_DIE_AT")
	return func(point string) {
		if point == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
