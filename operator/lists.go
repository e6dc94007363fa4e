package operator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/griot/internal/httpx"
	"example.com/griot/internal/verb"
	"example.com/griot/web"
)

const (
	pageSize = 50  // records per page
	maxCell  = 200 // characters of a list's cell
	longCell = 24  // minimum width of a list's cell for longer texts, in characters
)

// list is the result of a verb that lists records.
type list struct {
	columns []string
	cells   [][]any          // for each record, the values of the columns
	records []map[string]any // in the same order
	next    string           // key of the last record of this page; empty: last page
}

// call runs a verb, and returns its result as JSON and as the verb's type.
func (v *visit) call(name string, in map[string]any) (raw json.RawMessage, result any, err error) {
	if raw, err = ask[json.RawMessage](v, name, in); err != nil {
		return nil, nil, err
	}
	result, err = v.pages.o.Verbs().Find(name).Out.Read(raw)
	return raw, result, err
}

// field returns a field of a verb's input, or nil.
func (v *visit) field(name, member string) *verb.Field {
	in := v.pages.o.Verbs().Find(name).In
	if i := slices.IndexFunc(in, func(f verb.Field) bool { return f.Name() == member }); i >= 0 {
		return &in[i]
	}
	return nil
}

// readList runs the verb that lists. If the verb returns pages, it requests the page in the URL.
func (v *visit) readList(r *resource, in map[string]any) (*list, error) {
	paged := v.field(r.list, "limit") != nil
	if paged {
		in["limit"] = pageSize + 1
		for _, from := range []string{"before", "after"} {
			if key := v.r.URL.Query().Get("before"); key != "" && v.field(r.list, from) != nil {
				in[from] = key
			}
		}
	}
	raw, result, err := v.call(r.list, in)
	if err != nil {
		return nil, err
	}
	table := verb.Tables(result)[0]
	out := &list{cells: table[1:]}
	out.columns = verb.Each(table[0], func(name *any) string { return fmt.Sprint(*name) })
	if err := json.Unmarshal(records(raw), &out.records); err != nil {
		return nil, err
	}
	if paged && len(out.records) > pageSize {
		out.cut(0, pageSize)
		last := out.records[pageSize-1]
		key := cmp.Or(r.key, "id")
		if _, ok := last["cursor"]; ok { // rows that stand for several events: their position changes, and their id doesn't
			key = "cursor"
		}
		out.next = fmt.Sprint(last[key])
	}
	out.arrange(r)
	return out, nil
}

// records returns the list in a result: the result itself, or its field that is a list.
func records(result json.RawMessage) json.RawMessage {
	var page map[string]json.RawMessage
	if json.Unmarshal(result, &page) != nil {
		return result
	}
	for _, member := range page {
		if strings.HasPrefix(string(member), "[") {
			return member
		}
	}
	return json.RawMessage("[]")
}

// cut keeps the records from index from up to index to.
func (l *list) cut(from, to int) {
	from, to = min(from, len(l.records)), min(to, len(l.records))
	l.cells, l.records = l.cells[from:to], l.records[from:to]
}

// arrange moves the resource's first column to the front, and removes the columns that are hidden or detail.
func (l *list) arrange(r *resource) {
	var order []int
	for i, name := range l.columns {
		if name == r.first {
			order = slices.Insert(order, 0, i)
		} else if !slices.Contains(r.hidden, name) && !slices.Contains(r.detail, name) {
			order = append(order, i)
		}
	}
	l.columns = pick(l.columns, order)
	for i := range l.cells {
		l.cells[i] = pick(l.cells[i], order)
	}
}

func pick[T any](of []T, order []int) []T {
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = of[at]
	}
	return out
}

// section returns a list as a part of a page. The query identifies the record that it belongs to.
func (v *visit) section(r *resource, l *list, page url.Values) web.OperatorSection {
	out := web.OperatorSection{Title: v.lang.T(r.title), None: v.text("none."+r.list, v.lang.T("operator.none")), HasStates: len(r.states) > 0, HasActions: r.parent != nil && len(r.actions) > 0}
	out.Head = verb.Each(l.columns, func(name *string) string { return v.columnLabel(*name) })
	for i, cells := range l.cells {
		record := l.records[i]
		row := web.OperatorRow{State: v.badge(r, record)}
		for j, value := range cells {
			cell := v.cell(r, l.columns[j], value)
			switch l.columns[j] {
			case "ACCOUNT":
				name, _ := record["accountName"].(string)
				cell.Text = cmp.Or(name, cell.Text)
			case "ACTOR": // the log of the login service has neither
				email, _ := record["actorEmail"].(string)
				key, _ := record["actorId"].(string)
				cell.Text = strings.TrimSpace(cell.Text + " " + cmp.Or(email, key))
			case "ACTION": // the details are below the sentence, so that the table isn't wider than its window
				cell.Text, cell.URL = v.sentence(record), v.pages.targetPage(fmt.Sprint(record["action"]), fmt.Sprint(record["target"]))
				cell.More = v.details(record, cell.URL != "")
			}
			text := []rune(cell.Text)
			long := len(text) > longCell
			cell.Wide, cell.Flows = !cell.At.IsZero() || long && !r.flows, long && r.flows
			if len(text) > maxCell && !r.flows {
				cell.Text = string(text[:maxCell]) + "…"
			}
			row.Cells = append(row.Cells, cell)
		}
		switch {
		case r.page != "":
			row.Cells[0].URL = v.pages.resource(r.page).at(fmt.Sprint(record[r.key]))
		case r.parent != nil:
			row.Actions = v.actions(r, r.query(page, record), record)
		case r.key != "":
			row.Cells[0].URL = r.at(fmt.Sprint(record[r.key]))
		}
		for j := range row.Actions {
			row.Actions[j].About = row.Cells[0].Text
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// createLink returns the link to the form that creates a record. The query identifies the record
// that it will belong to.
func (v *visit) createLink(r *resource, query url.Values) (links []web.OperatorAction) {
	if r.create != "" {
		links = append(links, web.OperatorAction{URL: httpx.WithQuery(formsPath+r.create, query), Text: v.actionLabel(r.create)})
	}
	return links
}

// showList shows the page of a list. A refused search is shown with the reason, so that it can be corrected.
func (v *visit) showList(r *resource) error {
	page := web.OperatorResource{Title: v.lang.T(r.title), Text: v.description(r.list, r.list), URL: r.path(), Actions: v.createLink(r, nil)}
	if r.key == "" {
		page.Actions = append(page.Actions, v.relatedLinks(r, nil)...)
	}
	l, err := v.readList(r, v.filters(r, &page))
	refusal, refused := verb.Refusal(err)
	switch {
	case refused && r.filters != nil:
		l = &list{}
	case err != nil:
		return err
	case len(l.records) > pageSize:
		l.cut(v.pageRange(&page.Pages, r.path(), len(l.records)))
	default:
		page.Pages = v.furtherPages(r.path(), l.next)
	}
	section := v.section(r, l, nil)
	if !page.Filtered {
		section.None = v.text("none."+r.list+".all", section.None)
	}
	page.Sections = []web.OperatorSection{section}
	if refused {
		return v.showForm(http.StatusBadRequest, web.PageOperatorResource, page, refusal)
	}
	return v.show(web.PageOperatorResource, page)
}

// filters reads the filters of a list, and adds their fields to the page. A filter with few values becomes tabs.
func (v *visit) filters(r *resource, page *web.OperatorResource) map[string]any {
	in := map[string]any{}
	for _, name := range r.filters {
		value := strings.TrimSpace(v.r.URL.Query().Get(name))
		if value != "" {
			in[name], page.Filtered = value, true
		}
		f := v.field(r.list, name)
		label := v.fieldLabel(r.list, f)
		if len(f.OneOf) == 0 {
			field := web.Field{ID: name, Name: name, Label: label, Value: value}
			if r.flows && name == "action" { // the list shows sentences, not the names of actions
				field.Hint = v.fieldHint(r.list, f)
			}
			page.Filters = append(page.Filters, field)
			continue
		}
		page.Tabs = web.Tabs{Label: label, Items: []web.Tab{{URL: page.URL, Label: v.lang.T("operator.webhook.all"), Current: value == ""}}}
		for _, one := range f.OneOf {
			page.Tabs.Items = append(page.Tabs.Items, web.Tab{URL: httpx.WithQuery(page.URL, url.Values{name: {one}}), Label: v.valueText(name, one), Current: one == value})
		}
	}
	return in
}

// furtherPages returns the links through a list whose next page starts after a key.
func (v *visit) furtherPages(path, next string) web.Pagination {
	out := web.Pagination{}
	if next != "" {
		q := v.r.URL.Query()
		q.Set("before", next)
		out.OlderURL = httpx.WithQuery(path, q)
	}
	if v.r.URL.Query().Get("before") != "" {
		q := v.r.URL.Query()
		q.Del("before")
		out.FirstURL = httpx.WithQuery(path, q)
		out.Text = v.lang.T("operator.older")
	}
	return out
}

// pageNumber returns the page that the URL's query names, from 1 to last; 1 for any other.
func (v *visit) pageNumber(last int) int {
	if n, err := strconv.Atoi(v.r.URL.Query().Get("page")); err == nil && 1 <= n && n <= last {
		return n
	}
	return 1
}

// pageRange returns the range of the n records on the page in the URL, and sets the links to the pages before and after
// it.
func (v *visit) pageRange(pages *web.Pagination, path string, n int) (from, to int) {
	number := v.pageNumber((n + pageSize - 1) / pageSize)
	from, to = (number-1)*pageSize, number*pageSize
	if number > 1 {
		pages.NewerURL, pages.Text = httpx.WithQuery(path, url.Values{"page": {fmt.Sprint(number - 1)}}), v.lang.T("operator.prefixes.page", number)
	}
	if to < n {
		pages.OlderURL = httpx.WithQuery(path, url.Values{"page": {fmt.Sprint(number + 1)}})
	}
	return from, to
}
