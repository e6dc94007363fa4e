package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"example.com/griot/internal/textfile"
)

// DefaultFile is the configuration's name where none is given.
const DefaultFile = "griot.yaml"

// NoFile in place of a path reads variables only.
const NoFile = "-"

// maxFile bounds what is read of a configuration.
const maxFile = 1 << 20

// ErrNone is in the chain of Load's error where there is no configuration at all.
var ErrNone = errors.New("there is no " + DefaultFile + " here, and no " + Prefix + " variable says otherwise")

// Load reads the file (if path is empty, griot.yaml where there is one) and the
// variables of environ ("NAME=value"), and checks the whole. The error is [CheckError], all that there are at once; what could be
// read is returned with it. Without any configuration the error is [ErrNone], or [CheckError] where an unknown variable can be the reason.
func Load(path string, environ []string) (*Config, error) {
	c := Default()
	c.source = source{lines: map[string]int{}}
	var problems CheckError
	found := c.readFile(path, &problems)
	unread := len(problems) > 0 && problems[0].Setting == ""
	key := c.MasterKey
	r := &variables{values: values(environ), given: map[string]string{}, known: map[string]bool{}}
	r.read(reflect.ValueOf(c).Elem(), Prefix, "")
	r.unknown()
	if none := fmt.Errorf("%w: griot init makes one, --config names one", ErrNone); !found && len(r.given) == 0 {
		if len(r.problems) == 0 {
			return c, none
		}
		return c, append(r.problems, Problem{Text: none.Error()}).Err() // a misspelled variable may be why
	}
	problems = append(problems, r.problems...)
	c.source.variables = r.given
	c.Sandbox = c.Sandbox || r.values["SVC_SANDBOX"] == "1" // works without the prefix too
	from := c.source.file
	if c.MasterKey != key {
		from = "" // the key is a variable's
	}
	if !unread { // else all that is in the file would be missed
		c.readMasterKey(from, r.values["CREDENTIALS_DIRECTORY"], &problems)
		c.readFiles(&problems)
		c.spellOrigins()
		c.check(&problems)
	}
	for i, p := range problems {
		problems[i] = c.Locate(p)
	}
	return c, problems.Err()
}

// readFile reads the configuration's file, and reports whether there is one.
func (c *Config) readFile(path string, problems *CheckError) bool {
	if path == NoFile {
		return false
	}
	file, optional := path, path == ""
	if optional {
		file = DefaultFile
	}
	f, err := os.Open(file)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return false
	}
	c.source.file = file
	var b []byte
	if err == nil {
		defer func() { _ = f.Close() }()
		b, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	}
	switch {
	case err != nil:
		problems.add("", reason(err), "")
	case len(b) > maxFile:
		problems.add("", "is larger than 1 MiB", "")
	default:
		c.parse(b, problems)
	}
	return true
}

// reason is why a file can't be read, without its path, which stands elsewhere.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return "can't be read: " + err.Error()
}

// part is a value with a file of its own.
type part struct {
	setting string // which names the file
	value   *string
	file    string
}

// fileSuffix ends the name of a setting that names the file of another setting's value.
const fileSuffix = "_file"

// hasFile reports whether a setting's value comes from a file of its own.
func (c *Config) hasFile(setting string) bool {
	return setting == "master_key" && c.MasterKeyFile != "" || slices.ContainsFunc(c.parts(), func(s part) bool { return s.file != "" && s.setting == setting+fileSuffix }) ||
		!c.Has(setting) && c.Has(setting+fileSuffix) // a gateway's
}

// parts lists what can have a file of its own.
func (c *Config) parts() []part {
	parts := []part{
		{"auth.terms_file", &c.Auth.Terms, c.Auth.TermsFile},
		{"auth.privacy_file", &c.Auth.Privacy, c.Auth.PrivacyFile},
		{"api.terms_file", &c.API.Terms, c.API.TermsFile},
		{"api.privacy_file", &c.API.Privacy, c.API.PrivacyFile},
		{"api.whatsapp_sign_in.client_secret_file", &c.API.WhatsAppSignIn.ClientSecret, c.API.WhatsAppSignIn.ClientSecretFile},
		{"billing.stripe.secret_key_file", &c.Billing.Stripe.SecretKey, c.Billing.Stripe.SecretKeyFile},
		{"billing.stripe.webhook_secret_file", &c.Billing.Stripe.WebhookSecret, c.Billing.Stripe.WebhookSecretFile},
	}
	for i := range c.Auth.Receivers {
		r := &c.Auth.Receivers[i]
		parts = append(parts, part{fmt.Sprintf("auth.receivers[%d].secret_file", i), &r.Secret, r.SecretFile})
	}
	return parts
}

// readFiles reads what has a file of its own.
func (c *Config) readFiles(problems *CheckError) {
	for _, s := range c.parts() {
		if s.file == "" {
			continue
		}
		b, err := os.ReadFile(s.file)
		if err != nil {
			problems.add(s.setting, s.file+" "+reason(err), "")
			continue
		}
		*s.value = strings.TrimSpace(textfile.Line(string(b)))
	}
}
