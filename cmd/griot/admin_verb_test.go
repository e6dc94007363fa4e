package main

import (
	"testing"

	authverbs "example.com/griot/auth/verbs"
	messagingverbs "example.com/griot/messaging/verbs"
)

func BenchmarkAdminCommand(b *testing.B) {
	for b.Loop() {
		adminCommand()
	}
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		_, _, _ = authverbs.Table(), messagingverbs.Table(), rotationTable()
	}
}
