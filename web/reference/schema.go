package reference

import (
	"slices"
	"strings"
)

// maxDepth is the maximum depth of nested fields that are shown.
const maxDepth = 12

// object reads a schema. names collects the components that it refers to.
func (p *parser) object(n node, names map[string]bool) *Object { return p.objectAt(n, names, 0) }

func (p *parser) objectAt(ref node, names map[string]bool, depth int) *Object {
	n, name := ref.resolve()
	if name != "" && names != nil {
		names[name] = true
	}
	o := &Object{Name: name, About: p.markdown(ref.overridable("description").text()), Type: typeOf(n)}
	for _, t := range n.get("type").items() {
		o.Nullable = o.Nullable || t.is("null")
	}
	for _, v := range n.get("enum").items() {
		if !v.isNull() {
			o.Enum = append(o.Enum, v.text())
		}
	}
	if value := ref.overridable("default"); value.there() {
		o.Default = encode(value)
	}
	o.Limits = limits(n)
	if depth < maxDepth {
		p.compose(o, n, names, depth)
		if name != "" {
			p.compose(o, ref, names, depth) // the fields next to a $ref
		}
	}
	return o
}

// compose adds the fields of a schema, and of the schemas that it is composed of.
func (p *parser) compose(o *Object, n node, names map[string]bool, depth int) {
	for name, member := range n.get("properties").members() {
		if i := slices.IndexFunc(o.Fields, func(f *Field) bool { return f.Name == name }); i >= 0 {
			p.narrow(o.Fields[i], member)
			continue
		}
		if !member.isObject() {
			continue // a condition: a field must be present or absent
		}
		o.Fields = append(o.Fields, p.fieldAt(name, member, member, names, depth+1))
	}
	for _, part := range n.get("allOf").items() {
		to, name := part.resolve()
		if name != "" && names != nil {
			names[name] = true
		}
		if o.Type == "" {
			o.Type, o.Name = typeOf(to), name
		}
		p.compose(o, to, names, depth)
	}
	for _, required := range n.get("required").items() {
		if i := slices.IndexFunc(o.Fields, func(f *Field) bool { return f.Name == required.text() }); i >= 0 {
			o.Fields[i].Required = true
		}
	}
	if items := n.get("items"); items.isObject() {
		item := p.objectAt(items, names, depth+1)
		o.Type = orAny(item.Type) + "[]"
		o.Fields, o.Variants = item.Fields, item.Variants
		if item.Name != "" && len(item.Fields) > 0 {
			o.Name = item.Name
		}
		o.Enum = append(o.Enum, item.Enum...)
		if len(o.About) == 0 {
			o.About = item.About
		}
	}
	p.alternatives(o, slices.Concat(n.get("oneOf").items(), n.get("anyOf").items()), names, depth)
}

// narrow restricts a field by a further schema, which can only restrict the values.
func (p *parser) narrow(f *Field, n node) {
	if enum := n.get("enum").items(); len(enum) > 0 {
		narrowed := *f.Object
		narrowed.Enum = nil
		for _, v := range enum {
			narrowed.Enum = append(narrowed.Enum, v.text())
		}
		f.Object = &narrowed
	}
}

// alternatives adds the schemas of which one applies. Null is not added, and a single schema becomes the schema itself.
func (p *parser) alternatives(o *Object, list []node, names map[string]bool, depth int) {
	var variants []*Object
	for _, n := range list {
		if n.get("type").is("null") {
			o.Nullable = true
			continue
		}
		if !n.get("$ref").there() && !n.get("type").there() && !n.get("allOf").there() && !n.get("oneOf").there() {
			continue // a condition
		}
		variants = append(variants, p.objectAt(n, names, depth+1))
	}
	if len(variants) != 1 {
		o.Variants = append(o.Variants, variants...)
		return
	}
	only := *variants[0]
	only.Nullable = only.Nullable || o.Nullable
	if len(o.About) > 0 {
		only.About = o.About
	}
	if o.Default != "" {
		only.Default = o.Default
	}
	if only.Name == "" {
		only.Name = o.Name
	}
	*o = only
}

func (p *parser) field(name string, n node, names map[string]bool) *Field {
	return p.fieldAt(name, n, n.get("schema"), names, 1)
}

// fieldAt reads a field. n determines whether it is required, and schema is its schema.
func (p *parser) fieldAt(name string, n, schema node, names map[string]bool, depth int) *Field {
	f := &Field{
		Name: name, Required: n.get("required").is("true"), Deprecated: n.get("deprecated").is("true"),
		Object: p.objectAt(schema, names, depth),
	}
	if about := n.get("description").text(); about != "" {
		f.Object.About = p.markdown(about)
	}
	for _, example := range []node{n.get("example"), schema.overridable("example")} {
		switch {
		case f.Example != "" || !example.there():
		case example.text() != "":
			f.Example = example.text()
		default:
			f.Example = encode(example)
		}
	}
	return f
}

// typeOf returns the type of a schema without null; empty if it has none.
func typeOf(n node) string {
	kind := n.get("type")
	if kind.text() != "" {
		return kind.text()
	}
	var types []string
	for _, t := range kind.items() {
		if !t.is("null") {
			types = append(types, t.text())
		}
	}
	if len(types) == 0 && n.get("properties").there() {
		return "object"
	}
	return strings.Join(types, " | ")
}

func orAny(kind string) string {
	if kind == "" {
		return "any"
	}
	return kind
}

// limits returns the limits of a schema's values.
func limits(n node) []Limit {
	var list []Limit
	for _, l := range []struct{ kind, least, most string }{
		{"characters", "minLength", "maxLength"},
		{"range", "minimum", "maximum"},
		{"items", "minItems", "maxItems"},
		{"members", "minProperties", "maxProperties"},
	} {
		least, most := n.get(l.least).text(), n.get(l.most).text()
		switch {
		case least != "" && least == most:
			list = append(list, Limit{l.kind, least})
		case least != "" && most != "":
			list = append(list, Limit{l.kind, least + "–" + most})
		case least != "":
			list = append(list, Limit{l.kind, "≥ " + least})
		case most != "":
			list = append(list, Limit{l.kind, "≤ " + most})
		}
	}
	for _, l := range []struct{ kind, name string }{{"format", "format"}, {"value", "const"}, {"pattern", "pattern"}} {
		value := n.get(l.name)
		if l.kind == "pattern" && n.get("format").there() {
			continue // the format already contains this limit
		}
		if value.text() != "" {
			list = append(list, Limit{l.kind, value.text()})
		}
	}
	return list
}
