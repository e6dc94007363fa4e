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

// DefaultFile is the default name of the configuration.
const DefaultFile = "griot.yaml"

// NoFile is the path that makes Load read only variables.
const NoFile = "-"

// maxFile limits the size of a configuration.
const maxFile = 1 << 20

// ErrNone is in the chain of Load's error if no configuration exists.
var ErrNone = errors.New("there is no " + DefaultFile + " here, and no " + Prefix + " variable sets the configuration")

// Load reads the file (if path is empty, griot.yaml if it exists) and the variables of environ ("NAME=value"), and
// checks them together. The error is a [CheckError] with all problems. Load returns the settings that it could read
// with it. Without any configuration, the error is [ErrNone], or a [CheckError] if an unknown variable can be the
// cause.
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
	if none := fmt.Errorf("%w: create one with griot init, or name one with --config", ErrNone); !found && len(r.given) == 0 {
		if len(r.problems) == 0 {
			return c, none
		}
		return c, append(r.problems, Problem{Text: none.Error()}).Err() // a misspelled variable can be the cause
	}
	problems = append(problems, r.problems...)
	c.source.variables = r.given
	c.Sandbox = c.Sandbox || r.values["SVC_SANDBOX"] == "1" // also works without the prefix
	from := c.source.file
	if c.MasterKey != key {
		from = "" // the key is from a variable
	}
	if !unread { // otherwise all settings of the file would be reported as missing
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

// readFile reads the configuration's file and reports whether it exists.
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

// reason returns the reason that a file can't be read. It doesn't contain the path, which is shown elsewhere.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return "can't be read: " + err.Error()
}

// part is a value that can have its own file.
type part struct {
	setting string // the setting that names the file
	value   *string
	file    string
}

// fileSuffix is the suffix of a setting that names the file of another setting's value.
const fileSuffix = "_file"

// hasFile reports whether a setting's value comes from its own file.
func (c *Config) hasFile(setting string) bool {
	return setting == "master_key" && c.MasterKeyFile != "" || slices.ContainsFunc(c.parts(), func(s part) bool { return s.file != "" && s.setting == setting+fileSuffix }) ||
		!c.Has(setting) && c.Has(setting+fileSuffix) // a gateway's
}

// parts returns the values that can have their own files.
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

// readFiles reads the values that have their own files.
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
