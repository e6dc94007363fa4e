package httpgate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// jsonText is a string of a JSON template. A number is one whose text was "{{name:number}}"; of "{{name:needed}}", the object
// around it is left out where it stands for nothing.
type jsonText struct {
	template
	number, needed bool
}

// omitted is an object that is left out.
type omitted struct{}

// compileJSON reads a JSON template: its strings become templates, and nothing else of it can change.
func compileJSON(raw json.RawMessage, known func(string) bool) (any, error) {
	document, err := decode(raw)
	if err != nil {
		return nil, errors.New("settings: json can't be read")
	}
	return compileNode("json", document, known)
}

func compileNode(where string, node any, known func(string) bool) (any, error) {
	switch n := node.(type) {
	case string:
		number, isNumber := mark(n, "number")
		text, isNeeded := mark(number, "needed")
		t, err := compile(where, text, known)
		return jsonText{t, isNumber, isNeeded}, err
	case map[string]any:
		for name, child := range n {
			if strings.Contains(name, "{{") {
				return nil, errors.New("settings: json: a name can't have placeholders")
			}
			compiled, err := compileNode(where+"."+printable(name), child, known)
			if err != nil {
				return nil, err
			}
			n[name] = compiled
		}
	case []any:
		for i, child := range n {
			compiled, err := compileNode(fmt.Sprintf("%s[%d]", where, i), child, known)
			if err != nil {
				return nil, err
			}
			n[i] = compiled
		}
	}
	return node, nil
}

// mark takes a word like :number from a text that is one placeholder.
func mark(text, word string) (string, bool) {
	if name, ok := strings.CutSuffix(text, ":"+word+"}}"); ok && strings.HasPrefix(text, "{{") {
		return name + "}}", true
	}
	return text, false
}

// expandJSON writes a template out as a document. Members whose placeholder stands for nothing are left out.
func expandJSON(node any, s Scope) any {
	switch n := node.(type) {
	case jsonText:
		text := n.expand(s, plain)
		if n.number && isNumber(text) {
			return json.Number(text)
		}
		return text
	case map[string]any:
		out := make(map[string]any, len(n))
		for name, child := range n {
			if t, ok := child.(jsonText); ok && t.absent(s) {
				if t.needed {
					return omitted{}
				}
				continue
			}
			if written := expandJSON(child, s); written != (omitted{}) {
				out[name] = written
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(n))
		for _, child := range n {
			if written := expandJSON(child, s); written != (omitted{}) {
				out = append(out, written)
			}
		}
		return out
	}
	return node
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 63)
	return err == nil && (s == "0" || s[0] != '0')
}

// decode reads one JSON document; its numbers keep their digits.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var document any
	if err := d.Decode(&document); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the document")
	}
	return document, nil
}

// each is at for a path in which * stands for every element of a list. missing reports whether nothing stands at some place.
func each(document any, path string) (texts []string, missing bool) {
	names := strings.Split(path, ".")
	several := slices.Index(names, "*")
	if several < 0 {
		text, ok := at(document, path)
		if !ok {
			return nil, true
		}
		return []string{text}, false
	}
	list, _ := walk(document, names[:several]).([]any)
	for _, element := range list {
		more, lacks := each(element, strings.Join(names[several+1:], "."))
		texts, missing = append(texts, more...), missing || lacks
	}
	return texts, missing || len(list) == 0
}

// walk follows a path; nil where it leads nowhere.
func walk(document any, names []string) any {
	for _, name := range names {
		switch n := document.(type) {
		case map[string]any:
			document = n[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(n) {
				return nil
			}
			document = n[i]
		default:
			return nil
		}
	}
	return document
}

// at follows a path like messages.0.status; the empty one is the document. It returns texts, numbers and booleans as text;
// ok is false for anything else.
func at(document any, path string) (string, bool) {
	if path != "" {
		document = walk(document, strings.Split(path, "."))
	}
	switch v := document.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}
