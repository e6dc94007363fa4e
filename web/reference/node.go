package reference

import (
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is a node of the document. The zero value is a missing node, whose methods return empty values.
type node struct {
	yaml *yaml.Node
	root *yaml.Node
}

// get returns the value of a field.
func (n node) get(name string) node {
	for key, value := range n.members() {
		if key == name {
			return value
		}
	}
	return node{root: n.root}
}

func (n node) there() bool { return n.yaml != nil }

// members returns the fields of an object, in the document's order.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.yaml == nil || n.yaml.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.yaml.Content); i += 2 {
			if !yield(n.yaml.Content[i].Value, node{n.yaml.Content[i+1], n.root}) {
				return
			}
		}
	}
}

// items returns the items of a list.
func (n node) items() []node {
	if n.yaml == nil || n.yaml.Kind != yaml.SequenceNode {
		return nil
	}
	list := make([]node, len(n.yaml.Content))
	for i, item := range n.yaml.Content {
		list[i] = node{item, n.root}
	}
	return list
}

// text returns a scalar as it is written in the document.
func (n node) text() string {
	if n.yaml == nil || n.yaml.Kind != yaml.ScalarNode {
		return ""
	}
	return n.yaml.Value
}

func (n node) is(value string) bool { return n.text() == value }

func (n node) isObject() bool { return n.yaml != nil && n.yaml.Kind == yaml.MappingNode }

func (n node) isNull() bool { return n.yaml != nil && n.yaml.Tag == "!!null" }

// resolve follows a reference within the document. name is the last part of the reference, or "".
func (n node) resolve() (to node, name string) {
	ref := n.get("$ref").text()
	if ref == "" {
		return n, ""
	}
	to = node{n.root, n.root}
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		to, name = to.get(part), part
	}
	return to, name
}

// overridable returns a field of n. If n doesn't have it, it returns the field of the target of n's reference.
func (n node) overridable(name string) node {
	if own := n.get(name); own.there() {
		return own
	}
	to, _ := n.resolve()
	return to.get(name)
}
