package httpsms

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

const (
	goodForm = `"url":"https://sms.test/send","form":{"to":"{{to}}","text":"{{text}}"}`
	tokened  = `"auth":{"kind":"token","token":"` + testToken + `","query":"token"}`
)

func TestOpen_Accepts(t *testing.T) {
	t.Parallel()
	for _, members := range []string{
		goodForm,
		`"url":"http://127.0.0.1/send?to={{to}}&text={{text}}"`,
		`"url":"http://sms.test/{{to}}","allow_plaintext":true,"method":"PUT","text":"{{text}}"`,
		`"url":"https://sms.test","query":{"to":"{{to_plus}}","h":"{{text_hex}}","c":"{{coding}}"},"coding":{"gsm":"0","ucs2":"8"}`,
		goodForm + `,"basic":{"username":"a","password":"b"},"rate":10,"deduplicates":true`,
		goodForm + `,"receipts":{` + tokened + `,"fields":{"status":"s","id":"i"},"statuses":{"*":"delivered"}}`,
		goodForm + `,"inbound":{"auth":{"kind":"basic","username":"u","password":"p"},"fields":{"from":"f","text":"t"},"to":"+22376543210"}`,
		`"url":"https://sms.test","xml":"<a to='{{to}}'>{{text}}</a>"`,
	} {
		s, err := Open([]byte("{"+members+"}"), gatewaytest.NewEnvironment().Deps())
		if err != nil {
			t.Errorf("%s: %v", members, err)
			continue
		}
		info := s.Info()
		if info.Receipts != strings.Contains(members, `"receipts"`) || info.Deduplicates != strings.Contains(members, `"deduplicates"`) {
			t.Errorf("%s: %+v", members, info)
		}
		if strings.Contains(members, `"rate":10`) && info.Pace != (gateway.Pace{Sender: 100 * time.Millisecond, Burst: 1}) {
			t.Errorf("%+v", info.Pace)
		}
	}
}

func TestOpen_Refuses(t *testing.T) {
	t.Parallel()
	receipts := func(members string) string { return goodForm + `,"receipts":{` + members + `}` }
	inbound := func(members string) string { return goodForm + `,"inbound":{` + members + `}` }
	for members, want := range map[string]string{
		``:                              "url",
		`"preset":"pigeon"`:             "africastalking, jasmin, kannel, orange, termii, vonage",
		`"preset":"../settings"`:        "preset",
		`"url":"https://sms.test/send"`: "{{text}}",
		`"url":"https://sms.test/send","form":{"text":"{{text}}"}`:                                                            "{{to}}",
		`"url":"https://sms.test/send","form":{"to":"{{to}}","text":"{{txt}}"}`:                                               "{{txt}}",
		`"url":"https://sms.test/send","form":{"to":"{{to}}","text":"{{text}"}`:                                               "not closed",
		`"url":"https://sms.test/send","form":{"to":"{{to}}","text":"text}}{{text}}"}`:                                        "not closed",
		`"url":"https://sms.test/send","form":{"to":"{{to}}","{{text}}":"a","b":"{{text}}"}`:                                  "name",
		`"url":"http://sms.test/send","form":{"to":"{{to}}","text":"{{text}}"}`:                                               "https",
		`"url":"https://{{to}}.sms.test/","form":{"text":"{{text}}"}`:                                                         "host",
		`"url":"https://u:p@sms.test/","form":{"to":"{{to}}","text":"{{text}}"}`:                                              "url",
		`"url":"ftp://sms.test/","form":{"to":"{{to}}","text":"{{text}}"}`:                                                    "https",
		`"url":"https://sms.test/#a","form":{"to":"{{to}}","text":"{{text}}"}`:                                                "url",
		`"url":"https://sms.test/?a={{to}}","query":{"text":"{{text}}"}`:                                                      "query",
		`"url":"https://sms.test/","method":"GET","form":{"to":"{{to}}","text":"{{text}}"}`:                                   "GET",
		`"url":"https://sms.test/","method":"DELETE","form":{"to":"{{to}}","text":"{{text}}"}`:                                "method",
		goodForm + `,"text":"{{text}}"`:                                                                                       "exclude",
		goodForm + `,"headers":{"X Y":"a"}`:                                                                                   "headers",
		goodForm + `,"headers":{"X-Text":"{{text}}"}`:                                                                         "header",
		goodForm + `,"headers":{"Host":"a"}`:                                                                                  "Host",
		goodForm + `,"headers":{"X":"a\u0000"}`:                                                                               "control",
		goodForm + `,"headers":{"authorization":"a"},"basic":{"username":"a","password":"b"}`:                                 "Authorization",
		`"url":"https://sms.test/","json":{"{{to}}":"{{text}}","t":"{{to}}"}`:                                                 "json",
		`"url":"https://sms.test/","xml":"<a>{{to}}{{text}}"`:                                                                 "xml",
		`"url":"https://sms.test/","xml":"<a><!-- {{to}} -->{{text}}</a>"`:                                                    "xml",
		`"url":"https://sms.test/","xml":"<{{to}}>{{text}}</{{to}}>"`:                                                         "xml",
		`"url":"https://sms.test/","xml":"<?x {{to}}?><a>{{text}}</a>"`:                                                       "xml",
		`"url":"https://sms.test/","xml":"<a {{to}}='1'>{{text}}</a>"`:                                                        "xml",
		`"url":"https://sms.test/","xml":"<!-- {{to}} {{text}} -->"`:                                                          "xml",
		`"url":"https://sms.test/","form":{"to":"{{to}}","h":"{{text_hex}}"}`:                                                 "coding",
		`"url":"https://sms.test/","form":{"to":"{{to}}","t":"{{text}}","c":"{{coding}}"}`:                                    "coding",
		goodForm + `,"values":{"to":{"value":"1"}}`:                                                                           "values",
		goodForm + `,"values":{"A":{"value":"1"}}`:                                                                            "values",
		goodForm + `,"values":{"a":{"value":"1","value_file":"b"}}`:                                                           "values",
		goodForm + `,"values":{"a":{"value_file":"missing"}}`:                                                                 "values",
		goodForm + `,"values":{"a":{"value":"1\n2"}}`:                                                                         "values",
		goodForm + `,"basic":{"username":"a:b","password":"c"}`:                                                               "basic",
		goodForm + `,"basic":{"username":"a"}`:                                                                                "basic.password",
		goodForm + `,"basic":{"username":"a","password":"b"},"oauth":{"url":"https://a","client_id":"a","client_secret":"b"}`: "exclude",
		goodForm + `,"oauth":{"url":"http://a.test","client_id":"a","client_secret":"b"}`:                                     "oauth.url",
		goodForm + `,"oauth":{"url":"https://a.test","client_secret":"b"}`:                                                    "client_id",
		goodForm + `,"oauth":{"url":"https://a.test","client_id":"a"}`:                                                        "client_secret",
		goodForm + `,"success":{}`:                                                                                            "success",
		goodForm + `,"success":{"match":"("}`:                                                                                 "match",
		goodForm + `,"success":{"status":["2"]}`:                                                                              "status",
		goodForm + `,"success":{"json":"a","header":"b"}`:                                                                     "exclude",
		goodForm + `,"id":{"match":"["}`:                                                                                      "id",
		goodForm + `,"error_code":{"match":"["}`:                                                                              "error_code",
		goodForm + `,"errors":[{"status":["400"],"class":"bad","code":"a"}]`:                                                  "class",
		goodForm + `,"errors":[{"status":["400"],"class":"permanent","code":"A b"}]`:                                          "code",
		goodForm + `,"errors":[{"class":"permanent","code":"a"}]`:                                                             "errors[0]",
		receipts(`"fields":{"status":"s","id":"i"},"statuses":{"1":"sent"}`):                                                  "anybody",
		receipts(tokened + `,"fields":{"status":"s"},"statuses":{"1":"sent"}`):                                                "ref or id",
		receipts(tokened + `,"fields":{"id":"s"},"statuses":{"1":"sent"}`):                                                    "status",
		receipts(tokened + `,"fields":{"status":"s","id":"i"}`):                                                               "statuses",
		receipts(tokened + `,"fields":{"status":"s","id":"i"},"statuses":{"1":"eaten"}`):                                      "statuses",
		receipts(tokened + `,"fields":{"status":"s","id":"i","text":"t"},"statuses":{"1":"sent"}`):                            "fields",
		receipts(`"auth":{"kind":"none"}`):                                                                                    "kind",
		receipts(`"auth":{"kind":"token","token":"short","query":"t"}`):                                                       "token",
		receipts(`"auth":{"kind":"token","token":"` + testToken + `&","query":"t"}`):                                          "token",
		receipts(`"auth":{"kind":"token","token":"` + testToken + `"}`):                                                       "query or header",
		receipts(`"auth":{"kind":"token","query":"t"}`):                                                                       "token",
		receipts(`"auth":{"kind":"basic","password":"p"}`):                                                                    "username",
		receipts(`"auth":{"kind":"hmac","secret":"s"}`):                                                                       "header",
		receipts(`"auth":{"kind":"hmac","secret":"s","header":"h","algorithm":"md5"}`):                                        "algorithm",
		receipts(`"auth":{"kind":"hmac","secret":"s","header":"h","encoding":"rot13"}`):                                       "encoding",
		inbound(tokened + `,"fields":{"from":"f","text":"t"}`):                                                                "to",
		inbound(tokened + `,"fields":{"from":"f","to":"t"}`):                                                                  "text",
		inbound(tokened + `,"fields":{"from":"f","to":"t","hex":"h"}`):                                                        "coding",
		inbound(tokened + `,"fields":{"from":"f","text":"t"},"to":"12"`):                                                      "E.164",
		inbound(`"fields":{"from":"f","text":"t"},"to":"22376543210"`):                                                        "anybody",
		`"preset":"kannel","url":"http://127.0.0.1:13013/cgi-bin/sendsms"`:                                                    "{{password}}",
		goodForm + `,"callback_url":"nowhere"`:                                                                                "callback_url",
		goodForm + `,"rate":-1`:                                                                                               "rate",
		goodForm + `,"send_timeout":601`:                                                                                      "send_timeout",
		goodForm + `,"connect_timeout":-1`:                                                                                    "connect_timeout",
		goodForm + `,"connections":-1`:                                                                                        "connections",
		goodForm + `,"success":{"json":"a.0.b","every":true}`:                                                                 "every goes with",
		goodForm + `,"max_ttl":-1`:                                                                                            "max_ttl",
		inbound(tokened + `,"fields":{"from":"f","to":"t","text":"x","part":"p"}`):                                            "part_ref",
		goodForm + `,"ca_file":"missing"`:                                                                                     "ca_file",
		goodForm + `,"template":"x"`:                                                                                          "template",
	} {
		_, err := Open([]byte("{"+members+"}"), gatewaytest.NewEnvironment().Deps())
		if err == nil {
			t.Errorf("%s is accepted", members)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), testToken) || strings.Contains(err.Error(), "short") {
			t.Errorf("%s: %v; want it to mention %s", members, err, want)
		}
	}
}

func TestOpen_SecretsFromFiles(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(testSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address, last := startGateway(t, 200, "ok")
	s := open(t, gatewaytest.NewEnvironment(), `{"url":"`+address+`","form":{"to":"{{to}}","text":"{{text}}","key":"{{key}}"},"values":{"key":{"value_file":"`+file+`"}},
		"basic":{"username":"u","password_file":"`+file+`"}}`)
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	user, password, _ := last().request.BasicAuth()
	if !strings.Contains(last().body, "key="+testSecret) || user != "u" || password != testSecret {
		t.Errorf("%s, %s", last().body, password)
	}
}

// Settings override the preset: maps by member, error rules before the preset's.
func TestMerge(t *testing.T) {
	t.Parallel()
	s, err := merge([]byte(`{"preset":"kannel","headers":{"X-Kannel-SMSC":"a"},"success":{"status":["200"]},"errors":[{"status":["404"],"class":"permanent","code":"own"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Headers["X-Kannel-SMSC"] != "a" || s.Headers["X-Kannel-To"] != "{{to_plus}}" || s.Success.Match != "" || len(s.Success.Status) != 1 ||
		s.Errors[0].Code != "own" || s.Errors[0].Match != "" || len(s.Errors) != 4 {
		t.Errorf("%+v", s)
	}
	s, err = merge([]byte(`{"preset":"kannel","form":{"a":"b"}}`))
	if err != nil || s.Text != "" || len(s.Form) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = merge([]byte(`{"preset":"vonage","form":{"a":"b","text":""}}`))
	if err != nil || s.Form["a"] != "b" || s.Form["text"] != "" || s.Form["to"] != "{{to}}" {
		t.Errorf("%+v, %v", s, err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("{" + goodForm + "}"))
	f.Add([]byte(`{"url":"https://sms.test","xml":"<a to='{{to}}'>{{text}}</a>","success":{"match":"^a"}}`))
	f.Add([]byte(`{"url":"https://sms.test","json":{"a":[{"b":"{{to:number}}"}],"t":"{{text}}"}}`))
	f.Add([]byte(`{"preset":"kannel","url":"http://127.0.0.1:1","values":{"username":{"value":"a"},"password":{"value":"b"}}}`))
	deps := gatewaytest.NewEnvironment().Deps()
	ended, end := context.WithCancel(f.Context())
	end()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if strings.Contains(strings.ToLower(string(raw)), "file") {
			return // don't read files of the machine
		}
		s, err := Open(raw, deps)
		if err != nil {
			return
		}
		defer s.Close()
		// The request is composed, but not sent.
		if _, err := s.Send(ended, message()); err == nil || gateway.AsError(err).Class.HandedOver() {
			t.Errorf("%q: %v", raw, err)
		}
	})
}
