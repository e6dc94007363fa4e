package main

import (
	"testing"

	authadmin "example.com/griot/auth/admin"
	messagingadmin "example.com/griot/messaging/admin"
)

func BenchmarkAdminCommand(b *testing.B) {
	for b.Loop() {
		adminCommand()
	}
}

func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		_, _, _ = authadmin.Table(), messagingadmin.Table(), rotationTable()
	}
}
