package config

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"example.com/griot/internal/textfile"
)

// Prefix is the prefix of Griot's variables.
const Prefix = "GRIOT_"

// Variables sets the fields of a struct, whose tags env and envPrefix name their variables, from environ
// ("NAME=value"). An empty variable counts as unset. The error is a [CheckError].
func Variables(settings any, environ []string) error {
	r := &variables{values: values(environ), given: map[string]string{}, known: map[string]bool{}}
	r.read(reflect.ValueOf(settings).Elem(), Prefix, "")
	r.refuseTests()
	return r.problems.Err()
}

// values returns the variables by name, without surrounding line ends and byte order marks, which come from files.
func values(environ []string) map[string]string {
	all := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			all[name] = textfile.Line(value)
		}
	}
	return all
}

// variables reads variables into settings.
type variables struct {
	values   map[string]string
	given    map[string]string // the variable that set a setting
	known    map[string]bool   // the names of all variables
	problems CheckError
}

func (r *variables) read(v reflect.Value, prefix, at string) {
	for _, f := range fields(v.Type()) {
		path, to := strings.TrimPrefix(at+"."+f.name, "."), v.FieldByIndex(f.index)
		if f.prefix != "" {
			r.read(to, prefix+f.prefix, path)
			continue
		}
		name := prefix + f.env
		if f.env == "" {
			continue
		}
		r.known[name] = true
		text := r.values[name]
		if text == "" {
			continue
		}
		r.given[path] = name
		if want := setText(to, text); want != "" {
			r.problems = append(r.problems, Problem{Setting: path, Variable: name, Text: want})
		}
	}
}

// others matches variables that other programs or commands read, including those of `griot dev`'s dev.env.
var others = regexp.MustCompile(`^GRIOT_(API_KEY|API_KEY_FILE|KEY|CLIENT_ID|CLIENT_SECRET|REDIRECT_URI|WEBHOOK_SECRET|WHATSAPP_.*)$`)

// ofTests matches variables for tests and their programs, which no deployment should set.
var ofTests = regexp.MustCompile(`^GRIOT_(FAILPOINT.*|FETCH_FROM_HERE|TEST_.*)$`)

// ofCluster matches the variables that Kubernetes sets for a service that is called griot or griot-….
var ofCluster = regexp.MustCompile(`^GRIOT_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// refuseTests adds a problem for each variable that only tests can set.
func (r *variables) refuseTests() {
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if ofTests.MatchString(name) && r.values[name] != "" && !takesFailpoint(name) {
			r.problems = append(r.problems, Problem{Variable: name, Text: "is only for Griot's tests", Hint: "unset it"})
		}
	}
}

// unknown adds a problem for each variable with Griot's prefix that doesn't exist.
func (r *variables) unknown() {
	r.refuseTests()
	names := slices.Sorted(maps.Keys(r.known))
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if !strings.HasPrefix(name, Prefix) || r.known[name] || others.MatchString(name) || ofTests.MatchString(name) {
			continue
		}
		if _, cluster := r.values["KUBERNETES_SERVICE_HOST"]; cluster && ofCluster.MatchString(name) {
			continue
		}
		p := Problem{Variable: name, Text: "isn't a known variable"}
		if near := Nearest(name, names); near != "" {
			p.Hint = "did you mean " + near + "?"
		} else if slices.Contains(ofDev(), name) {
			p.Hint = "only griot dev uses it: unset it"
		}
		r.problems = append(r.problems, p)
	}
}

// ofDev returns the variables of griot dev that are not settings.
func ofDev() []string {
	return []string{"GRIOT_DATA", "GRIOT_WEBHOOK_URL", "GRIOT_ALLOW_HOSTS", "GRIOT_PHONES", "GRIOT_SHOWCASE"}
}
