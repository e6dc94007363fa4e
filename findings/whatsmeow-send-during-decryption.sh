#!/usr/bin/env bash
# Topic: a message that is sent while another one of the same person is decrypted, and a WhatsApp library for Go.
#
# Version: go.mau.fi/whatsmeow v0.0.0-20260921121126-35ae40906e74, go.mau.fi/libsignal of its go.mod, and modernc.org/sqlite
# v1.60.1, from the Go module proxy.
# Date: 2026-11-29.
#
# A good guess: a client is safe for concurrent use, and sending is behind a lock, so what is sent and what is decrypted for
# the same person never read the same state of their session.
#
# Observed: the lock is only around sending. Decrypting reads the session, and writes it back after the message was opened. A
# message that was sent in between is forgotten: the next one has the same counter. The recipient's client refuses it as one
# that it has already had, without an event and without asking for it again. Here, the store sends a message while a
# decryption reads the session, which a slow database does by chance.
#
# Output:
#   the recipient opens "first"
#   the recipient opens "during the decryption"
#   the recipient refuses "after it": received message with old counter
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
	"strings"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/libsignal/keys/identity"
	"go.mau.fi/libsignal/keys/prekey"
	"go.mau.fi/libsignal/logger"
	"go.mau.fi/libsignal/util/optional"
	"go.mau.fi/whatsmeow"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waAdv"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	_ "modernc.org/sqlite"
)

var ctx = context.Background()

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// open returns a client with its own store.
func open(name string) *whatsmeow.Client {
	file := must(sql.Open("sqlite", "file:"+name+".db?_pragma=foreign_keys(1)&_pragma=journal_mode(WAL)"))
	devices := sqlstore.NewWithDB(file, "sqlite", nil)
	if err := devices.Upgrade(ctx); err != nil {
		panic(err)
	}
	own := devices.NewDevice()
	id := types.JID{User: name, Server: types.DefaultUserServer, Device: 1}
	own.ID, own.LID = &id, types.JID{User: name, Server: types.HiddenUserServer, Device: 1}
	own.Account = &waAdv.ADVSignedDeviceIdentity{
		Details: []byte{1}, AccountSignatureKey: make([]byte, 32), AccountSignature: make([]byte, 64), DeviceSignature: make([]byte, 64),
	}
	if err := own.Save(ctx); err != nil {
		panic(err)
	}
	return whatsmeow.NewClient(own, nil)
}

// padded returns a text as whatsmeow pads it.
func padded(text string) []byte { return append([]byte(text), 1) }

func enc(n *waBinary.Node) *waBinary.Node {
	if n.Tag == "to" {
		return enc(&n.GetChildren()[0])
	}
	return n
}

// send encrypts a message as SendMessage does.
func send(from, to *whatsmeow.Client, text string) *waBinary.Node {
	nodes, _, err := from.DangerousInternals().EncryptMessageForDevices(ctx, []types.JID{to.Store.LID}, "3EB0", padded(text), nil, waBinary.Attrs{})
	if err != nil || len(nodes) != 1 {
		panic(fmt.Sprint(len(nodes), err))
	}
	return enc(&nodes[0])
}

func receive(at, from *whatsmeow.Client, n *waBinary.Node) error {
	kind, _ := n.Attrs["type"].(string)
	_, _, err := at.DangerousInternals().DecryptDM(ctx, n, from.Store.LID, kind == "pkmsg", time.Now())
	return err
}

// busy runs something after a decryption has read a session.
type busy struct {
	store.SessionStore
	then func()
}

func (b *busy) GetSession(ctx context.Context, address string) ([]byte, error) {
	session, err := b.SessionStore.GetSession(ctx, address)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return session, err
}

type silent struct{}

func (silent) Debug(string, string)   {}
func (silent) Info(string, string)    {}
func (silent) Warning(string, string) {}
func (silent) Error(string, string)   {}
func (silent) Configure(string)       {}

func main() {
	var quiet logger.Loggable = silent{}
	logger.Setup(&quiet)
	a, b := open("900001"), open("100001")
	one := must(b.Store.PreKeys.GenOnePreKey(ctx))
	bundle := prekey.NewBundle(b.Store.RegistrationID, 1, optional.NewOptionalUint32(one.KeyID), b.Store.SignedPreKey.KeyID,
		ecc.NewDjbECPublicKey(*one.Pub), ecc.NewDjbECPublicKey(*b.Store.SignedPreKey.Pub), *b.Store.SignedPreKey.Signature,
		identity.NewKey(ecc.NewDjbECPublicKey(*b.Store.IdentityKey.Pub)))
	hello, _, err := a.DangerousInternals().EncryptMessageForDevice(ctx, padded("hello"), b.Store.LID, bundle, waBinary.Attrs{}, nil)
	if err != nil {
		panic(err)
	}
	for _, err := range []error{receive(b, a, hello), receive(a, b, send(b, a, "an answer"))} {
		if err != nil {
			panic(err)
		}
	}
	say := func(text string, n *waBinary.Node) {
		switch err := receive(b, a, n); {
		case err == nil:
			fmt.Printf("the recipient opens %q\n", text)
		case strings.Contains(err.Error(), "old counter"):
			fmt.Printf("the recipient refuses %q: received message with old counter\n", text)
		default:
			fmt.Printf("the recipient refuses %q: %v\n", text, err)
		}
	}
	another := send(b, a, "another answer")
	say("first", send(a, b, "first"))
	hook := &busy{SessionStore: a.Store.Sessions}
	a.Store.Sessions = hook
	var during *waBinary.Node
	hook.then = func() { during = send(a, b, "during the decryption") }
	if err := receive(a, b, another); err != nil {
		panic(err)
	}
	say("during the decryption", during)
	say("after it", send(a, b, "after it"))
}
GO
go mod tidy 2>/dev/null
go run . | tee output

diff output - <<'WANT'
the recipient opens "first"
the recipient opens "during the decryption"
the recipient refuses "after it": received message with old counter
WANT
echo "unchanged"
