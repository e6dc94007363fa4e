package operator

import (
	"net/url"
	"slices"

	"example.com/griot/internal/verb"
)

// CheckDocs contains the pages of the documentation about findings, by check.
var CheckDocs = checkDocs

// TextKeys returns the keys of the texts that the pages show of the table of verbs. Each entry is a list of keys of
// which one must exist.
func (p *Pages) TextKeys() (keys [][]string) {
	add := func(names ...string) {
		for i := range names {
			names[i] = "table." + textKey(names[i])
		}
		keys = append(keys, names)
	}
	form := func(r *resource, verbName, name string, given url.Values, tells bool) {
		for _, kind := range []string{"verb", "action", "done"} {
			if kind != "done" || !tells {
				add(kind+"."+name, kind+"."+lastWord(name))
			}
		}
		fields := p.o.Verbs().Find(verbName).In
		for i := range fields {
			f := &fields[i]
			if f.NoForm || f.Flag+f.Arg == "" || f.Name() == r.param && verbName != r.create || r.parent != nil && f.Name() == r.parent.param || given.Has(f.Name()) {
				continue
			}
			add("field."+verbName+"."+f.Name(), "field."+f.Name())
			if f.Help != "" && f.Kind != verb.Settings && f.Kind != verb.List {
				add("hint."+verbName+"."+f.Name(), "hint."+f.Name())
			}
			for _, value := range f.OneOf {
				add("value." + f.Name() + "." + value)
			}
		}
	}
	for _, r := range p.withSections() {
		for _, verbName := range []string{r.list, r.show} {
			if verbName == "" {
				continue
			}
			for _, column := range p.o.Verbs().Find(verbName).Out.Columns() {
				if !slices.Contains(r.hidden, column) {
					add("column." + column)
				}
			}
		}
		if r.parent == nil {
			add("verb." + r.list)
		}
		for _, name := range r.filters {
			add("field."+r.list+"."+name, "field."+name)
			if r.flows && name == "action" {
				add("hint." + r.list + "." + name)
			}
		}
		if r.create != "" {
			form(r, r.create, r.create, nil, false)
		}
		for i := range r.actions {
			form(r, r.actions[i].verb, r.actions[i].textName(), r.actions[i].given, r.actions[i].tell != nil)
		}
	}
	add("column.key") // with column.secret, the titles of values that are shown once
	return keys
}
