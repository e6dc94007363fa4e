package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder decodes a file into existing settings. It continues after an error, so that all errors are found in one run.
type decoder struct {
	problems *CheckError
	lines    map[string]int
}

// parse reads YAML into the settings.
func (c *Config) parse(b []byte, problems *CheckError) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	var document, more yaml.Node
	if err := d.Decode(&document); err != nil {
		if !errors.Is(err, io.EOF) {
			*problems = append(*problems, c.syntax(err))
		}
		return
	}
	switch err := d.Decode(&more); {
	case err == nil:
		*problems = append(*problems, Problem{File: c.source.file, Line: more.Line, Text: "the file has a second document, which Griot doesn't read", Hint: "remove the line ---"})
	case !errors.Is(err, io.EOF):
		*problems = append(*problems, c.syntax(err))
	}
	before := len(*problems)
	(&decoder{problems, c.source.lines}).decode(document.Content[0], reflect.ValueOf(c).Elem(), "")
	for i := range (*problems)[before:] {
		(*problems)[before+i].File = c.source.file
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

// syntax returns the problem of a file that isn't valid YAML. The parser's text describes the expected syntax and
// never contains a value.
func (c *Config) syntax(err error) Problem {
	p := Problem{File: c.source.file, Text: "is not YAML", Hint: "indent fields with spaces, and put a space after the colon"}
	if found := yamlLine.FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0]); found != nil {
		p.Line, _ = strconv.Atoi(found[1])
		p.Text += ": " + found[2]
	}
	return p
}

func (d *decoder) bad(n *yaml.Node, setting, text, hint string) {
	*d.problems = append(*d.problems, Problem{Setting: setting, Line: n.Line, Text: text, Hint: hint})
}

// decode sets v from a node. A null node leaves v unchanged.
func (d *decoder) decode(n *yaml.Node, v reflect.Value, at string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.ShortTag() == "!!null" {
		return
	}
	switch kind := v.Kind(); {
	case v.Addr().Type().Implements(unmarshalerType):
		d.scalar(n, v, at)
	case kind == reflect.Struct:
		d.members(n, v, at)
	case kind == reflect.Map:
		d.mapping(n, v, at)
	case kind == reflect.Slice && n.Kind == yaml.SequenceNode:
		list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
		for i, item := range n.Content {
			path := fmt.Sprintf("%s[%d]", at, i)
			d.lines[path] = item.Line
			d.decode(item, list.Index(i), path)
		}
		v.Set(list)
	default:
		d.scalar(n, v, at)
	}
}

// members sets the fields of a struct.
func (d *decoder) members(n *yaml.Node, v reflect.Value, at string) {
	if n.Kind != yaml.MappingNode {
		d.bad(n, at, "must have fields", "write each field on its own line: name: value")
		return
	}
	known := fields(v.Type())
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		path := strings.TrimPrefix(at+"."+key.Value, ".")
		if first, ok := seen[key.Value]; ok {
			d.bad(key, path, fmt.Sprintf("is set twice, also in line %d", first), "")
			continue
		}
		seen[key.Value] = key.Line
		f := slices.IndexFunc(known, func(f field) bool { return f.name == key.Value })
		if f < 0 {
			d.unknown(key, path, at, known)
			continue
		}
		d.lines[path] = key.Line
		d.decode(value, v.FieldByIndex(known[f].index), path)
	}
}

func (d *decoder) unknown(key *yaml.Node, path, at string, known []field) {
	var names []string
	for _, f := range known {
		names = append(names, f.name)
	}
	hint := ""
	if near := Nearest(key.Value, names); near != "" {
		hint = "did you mean " + strings.TrimPrefix(at+"."+near, ".") + "?"
	}
	if len(path) > maxShown || strings.ContainsAny(path, "\n\r") {
		path = at // it isn't a name, but might be a value
	}
	d.bad(key, path, "isn't a known setting", hint)
}

// maxShown is the maximum number of characters of an unknown name in an error.
const maxShown = 100

// mapping sets a map whose keys the operator chooses: prices, countries, or a driver's settings.
func (d *decoder) mapping(n *yaml.Node, v reflect.Value, at string) {
	if n.Kind != yaml.MappingNode {
		d.scalar(n, v, at)
		return
	}
	if v.Type().Elem().Kind() == reflect.Interface { // a driver's settings, which the driver checks
		d.locate(n, at)
		if err := n.Decode(v.Addr().Interface()); err != nil {
			d.bad(n, at, "must be fields with values, each set once", "")
		}
		return
	}
	all := reflect.MakeMap(v.Type())
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, one := n.Content[i], reflect.New(v.Type().Elem()).Elem()
		if all.MapIndex(reflect.ValueOf(key.Value)).IsValid() {
			d.bad(key, at, "has a field twice", "")
		}
		d.decode(n.Content[i+1], one, at)
		all.SetMapIndex(reflect.ValueOf(key.Value), one)
	}
	v.Set(all)
}

// locate records the lines of the fields of a driver's settings.
func (d *decoder) locate(n *yaml.Node, at string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		d.lines[at+"."+n.Content[i].Value] = n.Content[i].Line
	}
}

func (d *decoder) scalar(n *yaml.Node, v reflect.Value, at string) {
	if n.Kind != yaml.ScalarNode {
		d.bad(n, at, "must be one value", "")
		return
	}
	if want := setText(v, n.Value); want != "" {
		d.bad(n, at, want, "")
	}
}
