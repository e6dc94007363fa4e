package twilio

import (
	"encoding/base64"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/peertest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	login := "Basic " + base64.StdEncoding.EncodeToString([]byte(account+":"+token))
	q := peertest.ProbeTest{Path: "/2010-04-01/Accounts/", Authorization: login, Accepted: `{"sid":"AC"}`, Refused: `{"code":20003,"message":"balafonToken"}`, Code: "20003", Secret: token, Open: func(url string) gateway.Prober {
		s, _ := newFake(t).open(map[string]any{"base_url": url})
		return s
	}}
	q.Check(t)
}
