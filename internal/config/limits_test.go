package config_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/config"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
)

func TestLoad_Limits(t *testing.T) {
	good := "GRIOT_MASTER_KEY=" + seal.NewMasterKey()
	c, err := config.Load(write(t, whole+"limits: {start_address: 7/10m, guess_phone: 0, live_logins: 12}\n"), []string{good, "GRIOT_LIMITS_MANAGE_ADDRESS=9/1h", "GRIOT_LIMITS_CODE_EMAIL=0"})
	if err != nil {
		t.Fatal(err)
	}
	want := limit.Defaults()
	want.StartAddress, want.GuessPhone, want.LiveLogins = limit.Rate{Times: 7, Period: 10 * time.Minute}, limit.Rate{}, 12
	want.ManageAddress, want.CodeEmail = limit.Rate{Times: 9, Period: time.Hour}, limit.Rate{}
	if c.Limits != want {
		t.Errorf("got %+v, want %+v", c.Limits, want)
	}
	for text, env := range map[string]string{"limits: {start_address: 7}\n": "A=b", "limits: {live_logins: -1}\n": "A=b", "limits: {starts: 7/1m}\n": "A=b", "": "GRIOT_LIMITS_CODE_EMAIL=often"} {
		if _, err := config.Load(write(t, whole+text), []string{good, env}); err == nil {
			t.Errorf("%s%s was accepted", text, env)
		}
	}
}

// docs/config.md has each limit with its default.
func TestLimits_AreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+) \\| (`[0-9mhs/`, ]+) \\| ").FindAllStringSubmatch(string(b), -1) {
		names, defaults := strings.Split(row[1], ", "), strings.Split(row[2], ", ")
		for i, name := range names {
			documented[strings.Trim(name, "`")] = strings.Trim(defaults[min(i, len(defaults)-1)], "`")
		}
	}
	v := reflect.ValueOf(limit.Defaults())
	for f, value := range v.Fields() {
		name := f.Tag.Get("yaml")
		if got, want := documented[name], fmt.Sprint(value.Interface()); got != want {
			t.Errorf("limits.%s is documented with %q, want %q", name, got, want)
		}
		if env := f.Tag.Get("env"); env != strings.ToUpper(name) {
			t.Errorf("limits.%s has the variable %s", name, env)
		}
	}
}
