package main

import (
	"net"
	"testing"

	"example.com/griot/cmd/griot/devfile"
)

func TestPrepareLinked_Refuses(t *testing.T) {
	for name, o := range map[string]devOptions{
		"another number":    {WithWhatsApp: "0612", WhatsAppListen: "127.0.0.1:0"},
		"another machine's": {WithWhatsApp: withoutNumber, WhatsAppListen: "192.0.2.1:9091"},
	} {
		o.Data = t.TempDir()
		if l, err := prepareLinked(t.Context(), &o, &devfile.State{BaseURL: "http://127.0.0.1:8080"}); err == nil {
			t.Errorf("%s: %+v, want an error", name, l)
		}
	}
	l, err := prepareLinked(t.Context(), &devOptions{WithWhatsApp: "false"}, &devfile.State{})
	if l != nil || err != nil {
		t.Errorf("false: %+v, %v, want none", l, err)
	}
	address, err := pickAddress(t.Context(), "127.0.0.1:0")
	if _, port, splitErr := net.SplitHostPort(address); err != nil || splitErr != nil || port == "0" {
		t.Errorf("a free address is %s, %v", address, err)
	}
}
