#!/usr/bin/env bash
# Topic: a first message to somebody, if WhatsApp gives out no keys, and a WhatsApp library for Go.
#
# Version: go.mau.fi/whatsmeow v0.0.0-20260921121126-35ae40906e74 and modernc.org/sqlite v1.60.1, from the Go module proxy.
# Date: 2026-11-29.
#
# A good guess: if the query for the keys of the recipient's devices fails (too many requests, a server error, no
# connection), the message can't be encrypted for anyone, so encrypting fails, and SendMessage returns the error.
#
# Observed: the query's error is only written to the log, each device without a session is left out, and encrypting returns
# no node and no error. SendMessage submits that message, and returns as for any other after the server's acknowledgment.
# Here the client has no connection, so that no query can succeed, and encrypts for two devices of a new contact.
#
# Output:
#   encrypted for 0 of 2 devices, error: <nil>
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
go mod init example.com/finding 2>/dev/null
go get go.mau.fi/whatsmeow@v0.0.0-20260921121126-35ae40906e74 modernc.org/sqlite@v1.60.1 2>/dev/null

cat >main.go <<'GO'
package main

import (
	"context"
	"database/sql"
	"fmt"

	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	_ "modernc.org/sqlite"
)

func main() {
	ctx := context.Background()
	file, err := sql.Open("sqlite", "file:device.db?_pragma=foreign_keys(1)")
	if err != nil {
		panic(err)
	}
	devices := sqlstore.NewWithDB(file, "sqlite", nil)
	if err := devices.Upgrade(ctx); err != nil {
		panic(err)
	}
	own := devices.NewDevice()
	id := types.JID{User: "22376543210", Server: types.DefaultUserServer, Device: 1}
	own.ID, own.LID = &id, types.JID{User: "900001", Server: types.HiddenUserServer, Device: 1}
	own.Account = &waAdv.ADVSignedDeviceIdentity{
		Details: []byte{1}, AccountSignatureKey: make([]byte, 32), AccountSignature: make([]byte, 64), DeviceSignature: make([]byte, 64),
	}
	if err := own.Save(ctx); err != nil {
		panic(err)
	}
	client := whatsmeow.NewClient(own, nil)
	recipient := []types.JID{
		{User: "100001", Server: types.HiddenUserServer},
		{User: "100001", Server: types.HiddenUserServer, Device: 2},
	}
	nodes, _, err := client.DangerousInternals().EncryptMessageForDevices(ctx, recipient, "3EB0", []byte("Bonjour"), nil, waBinary.Attrs{})
	fmt.Printf("encrypted for %d of %d devices, error: %v\n", len(nodes), len(recipient), err)
}
GO
go mod tidy 2>/dev/null
go run . | tee output

diff output - <<'WANT'
encrypted for 0 of 2 devices, error: <nil>
WANT
echo "unchanged"
