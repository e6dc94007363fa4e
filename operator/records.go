package operator

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/web"
)

// record is one record of a resource: its fields, and the lines on its page.
type record struct {
	members map[string]any
	lines   []verb.Line
}

// title returns the display name of the record.
func (o *record) title(r *resource) string {
	for _, name := range []string{"name", "prefix", "email", "address", "accountName", "account", r.key} {
		if text, ok := o.members[name].(string); ok && text != "" {
			if name == "address" {
				return phone.Grouped(text)
			}
			return text
		}
	}
	return ""
}

// namedBy returns the records that a column names; nil if it isn't shown or names none.
func (o *record) namedBy(column string) []verb.Named {
	for _, line := range o.lines {
		if line.Name == column {
			return line.Named
		}
	}
	return nil
}

// findRecord returns the record that a URL identifies, or nil.
func (v *visit) findRecord(r *resource, query url.Values) (*record, error) {
	in := map[string]any{}
	if r.parent != nil {
		in[r.parent.param] = query.Get(r.parent.param)
	}
	if r.show != "" {
		in[r.param] = query.Get(r.param)
		raw, result, err := v.call(r.show, in)
		if err != nil {
			return nil, err
		}
		out := &record{lines: verb.Lines(result)}
		return out, json.Unmarshal(raw, &out.members)
	}
	if v.field(r.list, "limit") != nil {
		in["limit"] = pageSize
	}
	raw, result, err := v.call(r.list, in)
	if err != nil {
		return nil, err
	}
	var all []map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(one map[string]any) bool { return fmt.Sprint(one[r.key]) == query.Get(r.param) })
	if i < 0 {
		return nil, nil
	}
	return &record{all[i], verb.LinesOf(result, i)}, nil
}

// showRecord shows the page of one record.
func (v *visit) showRecord(r *resource) error {
	found, err := v.findRecord(r, url.Values{r.param: {v.r.PathValue("key")}})
	if err != nil {
		return err
	}
	if found == nil {
		return kinds.NotFound.Err()
	}
	key := fmt.Sprint(found.members[r.key])
	query := url.Values{r.param: {key}}
	page := web.OperatorResource{
		Title: found.title(r), URL: r.at(key), Above: v.lang.T(r.title), AboveURL: r.path(), State: v.badge(r, found.members), Lines: v.lines(r, found),
		Actions: append(v.relatedLinks(r, query), v.actions(r, query, found.members)...),
	}
	if page.Sections, err = v.sections(r, key, query, &page); err != nil {
		return err
	}
	return v.show(web.PageOperatorResource, page)
}

// sections returns the lists below a record. Lists that verbs return as a whole are split into pages together.
func (v *visit) sections(r *resource, key string, query url.Values, page *web.OperatorResource) (out []web.OperatorSection, err error) {
	lists, longest := make([]*list, len(r.sections)), 0
	for i, section := range r.sections {
		lists[i] = &list{}
		if section.list == "" {
			continue
		}
		in := v.filters(section, page)
		in[r.param] = key
		if lists[i], err = v.readList(section, in); err != nil {
			return nil, err
		}
		if lists[i].next != "" || v.r.URL.Query().Has("before") {
			page.Pages = v.furtherPages(page.URL, lists[i].next)
		}
		longest = max(longest, len(lists[i].records))
	}
	if longest > pageSize {
		from, to := v.pageRange(&page.Pages, page.URL, longest)
		for _, l := range lists {
			l.cut(from, to)
		}
	}
	for i, section := range r.sections {
		shown := v.section(section, lists[i], query)
		shown.Actions = v.createLink(section, query)
		if section.list == "" {
			one, err := v.findRecord(section, query)
			if err != nil {
				return nil, err
			}
			shown.State, shown.Lines, shown.Actions = v.badge(section, one.members), v.lines(section, one), v.actions(section, query, one.members)
		}
		shown.HasHeading = true
		out = append(out, shown)
	}
	return out, nil
}

// lines returns the lines that a page shows of one record.
func (v *visit) lines(r *resource, of *record) (out []web.OperatorLine) {
	for _, line := range of.lines {
		if !slices.ContainsFunc(r.hidden, func(name string) bool { return strings.EqualFold(name, line.Name) }) {
			cell := v.cell(r, line.Name, line.Cell)
			if name, ok := of.members["accountName"].(string); ok && name != "" && strings.EqualFold(line.Name, "account") {
				cell.Text = name
			}
			cell.Named = verb.Each(line.Named, func(one *verb.Named) web.OperatorCell {
				return web.OperatorCell{Text: v.senderText(one.Text), URL: v.pages.pageOf(r, line.Name, one.Key)}
			})
			out = append(out, web.OperatorLine{Label: v.columnLabel(line.Name), Cell: cell})
		}
	}
	return out
}

// actions returns the actions of a record. An action without fields to fill in is a button, and any other links
// to its form.
func (v *visit) actions(r *resource, query url.Values, record map[string]any) (out []web.OperatorAction) {
	for i := range r.actions {
		a := &r.actions[i]
		if !a.when.holds(record, v.pages.o.Now()) {
			continue
		}
		q := r.query(query, nil)
		for name := range a.given {
			q.Set(name, a.given.Get(name))
		}
		out = append(out, web.OperatorAction{
			URL: httpx.WithQuery(formsPath+a.verb, q), Text: v.actionLabel(a.textName()), Posts: v.isDirect(a, q), Danger: a.gone || v.pages.o.Verbs().Find(a.verb).Danger == verb.Deletes,
		})
	}
	return out
}

// relatedLinks returns the links to related pages of the record that a query identifies, or of a list to other lists.
func (v *visit) relatedLinks(r *resource, query url.Values) (out []web.OperatorAction) {
	for _, name := range r.related {
		other := v.pages.resource(name)
		address := httpx.WithQuery(other.path(), query)
		if other.key != "" {
			address = other.at(query.Get(r.param))
		}
		out = append(out, web.OperatorAction{URL: address, Text: v.lang.T(other.title)})
	}
	return out
}
