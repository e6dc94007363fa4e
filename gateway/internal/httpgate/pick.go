package httpgate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// pick returns the strings and numbers at paths of a JSON document. It is for documents whose signature is not
// checked yet. It reads them token by token without building anything, and stops after the last path. The text at an
// empty path is "". ok is false if a path does not exist, or if the part that was read is not valid JSON.
func pick(body []byte, paths ...string) (found []string, ok bool) {
	p := picker{d: json.NewDecoder(bytes.NewReader(body)), paths: paths, found: make([]string, len(paths)), missing: map[string]bool{}}
	p.d.UseNumber()
	for _, path := range paths {
		if path != "" {
			p.missing[path] = true
		}
	}
	if t, err := p.d.Token(); err != nil || t != json.Delim('{') || !p.object("") {
		return nil, false
	}
	return p.found, len(p.missing) == 0
}

type picker struct {
	d       *json.Decoder
	paths   []string
	found   []string
	missing map[string]bool
}

// object reads the remaining part of an object whose fields' paths start with prefix. It returns false if that part is not valid JSON.
func (p *picker) object(prefix string) bool {
	for len(p.missing) > 0 && p.d.More() {
		t, err := p.d.Token()
		name, isText := t.(string)
		if err != nil || !isText || !p.member(prefix+name) {
			return false
		}
	}
	if len(p.missing) == 0 {
		return true
	}
	_, err := p.d.Token() // the closing brace
	return err == nil
}

// member reads the value of a field.
func (p *picker) member(path string) bool {
	t, err := p.d.Token()
	if err != nil {
		return false
	}
	if open, isDelim := t.(json.Delim); isDelim {
		if open == '{' && p.isPrefix(path+".") {
			return p.object(path + ".")
		}
		return p.skip()
	}
	if !p.missing[path] {
		return true
	}
	delete(p.missing, path)
	text := ""
	switch v := t.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	default:
		return false
	}
	for i, wanted := range p.paths {
		if wanted == path {
			p.found[i] = text
		}
	}
	return true
}

func (p *picker) isPrefix(prefix string) bool {
	return slices.ContainsFunc(p.paths, func(path string) bool { return strings.HasPrefix(path, prefix) })
}

// skip reads to the end of an object or list whose first token was already read.
func (p *picker) skip() bool {
	for depth := 1; depth > 0; {
		t, err := p.d.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return true
}
