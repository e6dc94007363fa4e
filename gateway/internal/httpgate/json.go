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

// jsonText is a string of a JSON template. "{{name:number}}" becomes a number. The object around "{{name:needed}}" is
// left out if the placeholder has no value.
type jsonText struct {
	template
	number, needed bool
}

// omitted represents an object that is left out.
type omitted struct{}

// compileJSON compiles a JSON template. Its strings become templates, and all other values are unchanged.
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
		number, isNumber := cutSuffix(n, "number")
		text, isNeeded := cutSuffix(number, "needed")
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

// cutSuffix removes a suffix like :number from a text that is one placeholder.
func cutSuffix(text, suffix string) (string, bool) {
	if name, ok := strings.CutSuffix(text, ":"+suffix+"}}"); ok && strings.HasPrefix(text, "{{") {
		return name + "}}", true
	}
	return text, false
}

// expandJSON returns the document of a template. Fields whose placeholder has no value are left out.
func expandJSON(node any, s Values) any {
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

// decode parses one JSON document. Numbers keep all their digits.
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

// textsAt is like textAt, for a path in which * is every element of a list. missing reports whether an element has no text there.
func textsAt(document any, path string) (texts []string, missing bool) {
	names := strings.Split(path, ".")
	several := slices.Index(names, "*")
	if several < 0 {
		text, ok := textAt(document, path)
		if !ok {
			return nil, true
		}
		return []string{text}, false
	}
	list, _ := nodeAt(document, names[:several]).([]any)
	for _, element := range list {
		more, lacks := textsAt(element, strings.Join(names[several+1:], "."))
		texts, missing = append(texts, more...), missing || lacks
	}
	return texts, missing || len(list) == 0
}

// nodeAt returns the value at a path, or nil if there is none.
func nodeAt(document any, names []string) any {
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

// textAt returns the string, number, or Boolean at a path such as messages.0.status as text. The empty path is the
// document. ok is false for anything else.
func textAt(document any, path string) (string, bool) {
	if path != "" {
		document = nodeAt(document, strings.Split(path, "."))
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
