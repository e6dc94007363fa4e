package reference

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lineLength is the maximum length of an object or a list on one line.
const lineLength = 64

// encode formats an example as JSON, with its fields in the document's order.
func encode(n node) string {
	if n.yaml == nil {
		return ""
	}
	var b strings.Builder
	write(&b, n.yaml, "", true)
	return b.String()
}

func write(b *strings.Builder, n *yaml.Node, indent string, outermost bool) {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		b.WriteString(scalar(n))
		return
	}
	if line := compact(n); len(n.Content) == 0 || len(line) <= lineLength && (!outermost || n.Kind == yaml.SequenceNode) {
		b.WriteString(line)
		return
	}
	deeper, step, brackets := indent+"  ", 1, "[]"
	if n.Kind == yaml.MappingNode {
		step, brackets = 2, "{}"
	}
	b.WriteByte(brackets[0])
	for i := 0; i < len(n.Content); i += step {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + deeper)
		if step == 2 {
			b.WriteString(quote(n.Content[i].Value) + ": ")
		}
		write(b, n.Content[i+step-1], deeper, false)
	}
	b.WriteString("\n" + indent + brackets[1:])
}

// compact formats a value on one line.
func compact(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, quote(n.Content[i].Value)+": "+compact(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, compact(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return scalar(n)
	}
}

func scalar(n *yaml.Node) string {
	switch n.Tag {
	case "!!null":
		return "null"
	case "!!int", "!!float", "!!bool":
		return n.Value
	}
	return quote(n.Value)
}

func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the page escapes it
	if e.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}
