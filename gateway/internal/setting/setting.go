package setting

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"example.com/griot/internal/idn"
	"example.com/griot/internal/textfile"
	"example.com/griot/internal/visible"
)

// Parse parses one JSON object into s. An unknown field is an error.
func Parse(raw json.RawMessage, s any) error {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("settings: must be an object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return fmt.Errorf("settings: %w", withoutValues(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("settings: something follows the object")
	}
	return nil
}

// withoutValues replaces the decoder's error about a type, which might quote the value, and rewords its error about an unknown field.
func withoutValues(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("%s is no setting of this kind", strings.Trim(quoted, `"`))
	}
	return err
}

// Secret returns a secret that is given by value or in a file, without the line break at the end of the file. Without
// either, it returns "", or an error if the secret is required. A secret must be one ASCII word, so that it can be
// used in a header.
func Secret(name, value, file string, required bool) (string, error) {
	value, err := Password(name, value, file, required)
	switch {
	case err != nil:
		return "", err
	case !IsWord(value):
		if file != "" {
			name += "_file"
		}
		return "", fmt.Errorf("settings: %s must be one word in ASCII", name)
	}
	return value, nil
}

// Password is like [Secret], for a secret of any characters.
func Password(name, value, file string, required bool) (string, error) {
	value = textfile.Line(value)
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("settings: %s and %s_file exclude each other", name, name)
	case value == "" && file == "" && required:
		return "", fmt.Errorf("settings: %s or %s_file is needed", name, name)
	case file == "":
		return value, nil
	}
	return FromFile(name+"_file", file)
}

// FromFile returns the one line of a file ([textfile.Line]). An empty file is an error.
func FromFile(name, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("settings: %s: %w", name, err)
	}
	value := textfile.Line(string(content))
	if value == "" {
		return "", fmt.Errorf("settings: %s is empty", name)
	}
	return value, nil
}

// IsWord reports whether s is ASCII without spaces and control characters. An empty s is a word.
func IsWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// Domain converts the domain of a setting to A-labels if it has letters beyond ASCII. An invalid domain is unchanged,
// and the checks for ASCII refuse it.
func Domain(s *string) {
	if IsWord(*s) {
		return
	}
	if ascii, ok := idn.ASCII(*s); ok {
		*s = ascii
	}
}

// BaseURL checks the URL of an API. It must use HTTPS, or HTTP to this machine or if plaintext is true, and it must
// have no credentials, query, or fragment. BaseURL returns the URL without trailing slashes.
func BaseURL(name, value string, plaintext bool) (string, error) {
	value, err := Address(name, value)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || u.Opaque != "" {
		return "", fmt.Errorf("settings: %s must be an address like https://api.example.com", name)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !plaintext && !IsLoopback(u.Hostname())) {
		return "", fmt.Errorf("settings: %s must be https", name)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// Address returns an address of the settings without what pasting has added around it ([visible.Trim]).
func Address(name, value string) (string, error) {
	value, ok := visible.Address(value)
	if !ok {
		return "", fmt.Errorf("settings: %s must not contain invisible characters", name)
	}
	return value, nil
}

// IsLoopback reports whether a host is localhost or a loopback address.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// CheckRange returns an error unless low ≤ value ≤ high.
func CheckRange(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("settings: %s must be from %d to %d", name, low, high)
	}
	return nil
}

// Number sets *value to defaultValue if it is 0, and returns an error unless low ≤ *value ≤ high.
func Number(name string, value *int, defaultValue, low, high int) error {
	*value = cmp.Or(*value, defaultValue)
	return CheckRange(name, *value, low, high)
}

// Authorities returns the certificates of a PEM file, or nil if file is empty, which means those of the system.
func Authorities(name, file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("settings: %s: %w", name, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(textfile.Text(pem)) {
		return nil, fmt.Errorf("settings: %s holds no certificate in PEM", name)
	}
	return pool, nil
}

// Seconds returns a setting of n seconds.
func Seconds(n int) time.Duration { return time.Duration(n) * time.Second }
