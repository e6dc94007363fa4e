package operator

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/web"
)

// A resource is a kind of record that operators manage: its list, a page for each record, and its actions. Columns, fields, and
// texts come from the table of verbs.
type resource struct {
	name     string           // path below Home; empty: a section of another resource's pages
	title    string           // text key
	list     string           // verb that lists the records; empty: show returns the only one
	show     string           // verb that returns one record; empty: it is looked up in the list
	key      string           // field that identifies a record; empty: records have no pages and no actions
	param    string           // parameter of inputs and URLs that identifies a record
	columns  []string         // columns, in any list, that contain keys of this resource
	first    string           // leading column; empty: the table's order
	page     string           // of a section: name of the resource whose pages its records have; empty: they have none
	hidden   []string         // columns that are not shown: the states or the page's title say it, or few need it
	detail   []string         // columns that a record's page shows, and the list does not
	states   []state          // possible states; the first whose condition holds is shown
	flows    bool             // the list shows long texts whole, in several lines
	filters  []string         // fields of the list's input that operators search by
	ends     bool             // each action ends the record, which has no page afterward
	create   string           // verb that creates a record; empty: none
	created  map[string]flash // like an action's outcomes, of create
	try      string           // verb that tests settings before a form stores them; empty: none
	actions  []action         // of a record
	sections []*resource      // lists of related records on a record's page
	related  []string         // names of resources with a page or a list for the same param

	parent *resource // the resource that a section belongs to; nil: not a section
}

// A state is shown for a record while its condition holds.
type state struct {
	when condition
	text string // key
	tone web.Tone
}

// An action is a verb that applies to one record.
type action struct {
	verb     string
	name     string                                      // last part of its text keys; empty: the verb
	when     condition                                   // the action is offered while this holds
	given    url.Values                                  // values that the button sends and no form asks for
	confirm  bool                                        // the form has a checkbox to confirm, as forms of deletions have
	gone     bool                                        // the record has no page after the action
	presets  map[string]string                           // default values of fields without a stored value: a text, its key, or of a time the duration from now
	tell     func(v *visit, result map[string]any) flash // the next page's flash; nil: outcomes
	outcomes map[string]flash                            // the next page's flash, by the result's field "result", or "state" without one
}

// A condition tests fields of a record: "a" is set and no empty list, "!a" is not set, "a=b" has that value, "a<now" is a time in the past. All of
// its words must hold. The empty condition always holds.
type condition string

func (c condition) holds(record map[string]any, now time.Time) bool {
	for word := range strings.FieldsSeq(string(c)) {
		negated := strings.HasPrefix(word, "!")
		name := strings.TrimPrefix(word, "!")
		holds := false
		if before, value, ok := strings.Cut(name, "="); ok {
			holds = member(record, before) == value
		} else if before, ok := strings.CutSuffix(name, "<now"); ok {
			at, err := time.Parse(time.RFC3339, fmt.Sprint(member(record, before)))
			holds = err == nil && !now.Before(at)
		} else {
			value := member(record, name)
			list, isList := value.([]any)
			holds = isList && len(list) > 0 || !isList && value != nil && value != "" && value != false
		}
		if holds == negated {
			return false
		}
	}
	return true
}

// member returns a field of a record or of the first object in it that has the field, or nil.
func member(record map[string]any, name string) any {
	if value, ok := record[name]; ok {
		return value
	}
	for _, key := range slices.Sorted(maps.Keys(record)) {
		if object, ok := record[key].(map[string]any); ok && object[name] != nil {
			return object[name]
		}
	}
	return nil
}

var endpointStates = []state{
	{"!url", "operator.webhook.none", ""},
	{"!enabled disabledFor=gone", "operator.webhook.gone", web.Bad},
	{"!enabled disabledFor=failing", "operator.webhook.gave_up", web.Bad},
	{"!enabled", "operator.webhook.off", web.Bad},
	{"pausedUntil", "operator.webhook.paused", web.Warn},
	{"failingSince", "operator.webhook.failing", web.Warn},
	{"", "operator.webhook.on", web.Good},
}

var senderStates = []state{
	{"pausedAt", "dashboard.senders.paused", web.Warn},
	{"state=connected", "dashboard.senders.state_connected", web.Good},
	{"state=connecting", "dashboard.senders.state_connecting", web.Warn},
	{"state=pairing", "dashboard.senders.state_pairing", web.Warn},
	{"state=restricted", "dashboard.senders.state_restricted", web.Warn},
	{"state=disconnected", "dashboard.senders.state_disconnected", web.Bad},
	{"state=logged_out", "dashboard.senders.state_logged_out", web.Bad},
	{"state=banned", "dashboard.senders.state_banned", web.Bad},
	{"state=outdated", "dashboard.senders.state_outdated", web.Bad},
}

// changedGateway has the outcomes of a gateway's new settings.
var changedGateway = map[string]flash{"failing": {failure: "operator.gateway.stored_failing"}}

// endpointActions returns the actions of a webhook endpoint. The verbs start with prefix.
func endpointActions(prefix string) []action {
	return []action{
		{verb: prefix + "ping", when: "url"},
		{verb: prefix + "enable", when: "url !enabled"},
		{verb: prefix + "disable", when: "url enabled"},
		{verb: prefix + "set", confirm: true},
		{verb: prefix + "rotate-secret", when: "url", confirm: true},
		{verb: prefix + "resend-failed", when: "url", presets: map[string]string{"since": "-72h"}},
	}
}

// newResources returns the resources in the order of their routes. To add a verb to the pages, add it here.
func newResources() []*resource {
	forRequest := url.Values{"for": {"request"}} // tells these forms from those of senders and endpoints
	resources := []*resource{
		{
			name: "requests", title: "operator.nav.requests", list: "requests.list", key: "id", param: "request", ends: true,
			actions: []action{
				{verb: "senders.add", when: "channel", given: forRequest},
				{verb: "webhooks.set", when: "url", given: forRequest, confirm: true},
				{verb: "requests.done"},
				{verb: "requests.decline"},
			},
		},
		{
			name: "accounts", title: "operator.nav.accounts", list: "accounts.find", show: "accounts.show", create: "accounts.create",
			key: "id", param: "account", columns: []string{"account"}, first: "NAME", filters: []string{"text"}, detail: []string{"ACCOUNT"}, related: []string{"webhooks", "audit"},
			states: []state{{"closedAt", "operator.account.closed", web.Bad}, {"suspendedAt", "operator.account.suspended", web.Warn}},
			actions: []action{
				{verb: "accounts.set"},
				{verb: "accounts.suspend", when: "!closedAt !suspendedAt"},
				{verb: "accounts.resume", when: "suspendedAt !closedAt"},
				{verb: "accounts.reopen", when: "closedAt"},
				{verb: "accounts.delete", when: "!closedAt"},
			},
			sections: []*resource{
				{
					title: "operator.keys.title", list: "api-keys.list", key: "id", param: "id", first: "BEGINS", hidden: []string{"KEY", "PROJECT", "MEMBER", "ENDS", "REVOKED"},
					states:  []state{{"revokedAt", "operator.keys.revoked", ""}, {"expiresAt<now", "operator.keys.ended", ""}, {"", "operator.keys.works", web.Good}},
					actions: []action{{verb: "api-keys.revoke", when: "!revokedAt", confirm: true}},
				},
				{title: "operator.nav.senders", list: "senders.list", create: "senders.add", first: "ADDRESS", key: "id", page: "senders", hidden: []string{"SENDER"}},
				{
					title: "operator.members.title", list: "members.list", key: "id", param: "id", first: "EMAIL", hidden: []string{"MEMBER"},
					states:  []state{{"!joinedAt", "operator.members.invited", web.Warn}, {"", "operator.members.joined", web.Good}},
					actions: []action{{verb: "members.remove", confirm: true}},
				},
			},
		},
		{
			name: "plans", title: "operator.nav.plans", list: "plans.list", key: "name", param: "name", columns: []string{"plan", "in effect"},
			actions: []action{{verb: "plans.set", confirm: true}},
		},
		{
			name: "gateways", title: "operator.nav.gateways", list: "gateways.list", create: "gateways.add", created: changedGateway, try: "gateways.try", key: "name", param: "name", columns: []string{"gateway"},
			hidden: []string{"STATE"}, detail: []string{"FROM", "PROBLEM", "FAILING SINCE", "DROPPED", "SENDERS"},
			states: []state{
				{"problem", "operator.gateway.problem", web.Bad},
				{"state=closed", "operator.gateway.closed", web.Warn},
				{"failingSince", "operator.gateway.failing", web.Bad},
				{"tested=failed", "operator.gateway.test_bad", web.Bad},
				{"state=open tested=passed", "operator.gateway.open", web.Good},
				{"state=open", "operator.gateway.untested", ""},
			},
			actions: []action{
				{verb: "gateways.test", outcomes: map[string]flash{
					"not_possible": {wrong: "operator.gateway.no_probe"}, "failed": {failure: "operator.gateway.test_failed"},
				}},
				{verb: "gateways.send-test", when: "senders", presets: map[string]string{"text": "operator.test.message"}, tell: (*visit).toldTest},
				{verb: "gateways.set", when: "createdAt", confirm: true, outcomes: changedGateway},
				{verb: "gateways.remove", when: "createdAt", confirm: true, gone: true},
			},
		},
		{
			name: "senders", title: "operator.nav.senders", list: "senders.find", show: "senders.show", create: "senders.add",
			key: "id", param: "id", columns: []string{"sender", "senders", "used by"}, first: "ADDRESS", filters: []string{"text"}, hidden: []string{"STATE"}, detail: []string{"SENDER", "NAME", "POSITION", "PLATFORM", "PAUSED SINCE"}, states: senderStates,
			actions: []action{
				{verb: "senders.pause", when: "!pausedAt"},
				{verb: "senders.resume", when: "pausedAt"},
				{verb: "senders.warm", name: "senders.warm.end", when: "warmLimit", given: url.Values{"first": {"0"}, "days": {"0"}}},
				{verb: "senders.warm", presets: map[string]string{"first": "50", "days": "7"}},
				{verb: "senders.remove", gone: true},
			},
		},
		{
			name: "webhooks", title: "operator.nav.webhooks", list: "webhooks.endpoints", show: "webhooks.show", key: "accountId", param: "account", first: "NAME",
			hidden: []string{"ENABLED"}, detail: []string{"ACCOUNT"}, states: endpointStates, actions: endpointActions("webhooks."), related: []string{"accounts"},
			sections: []*resource{{
				title: "operator.nav.events", list: "webhooks.list", key: "id", param: "id", first: "TYPE", filters: []string{"delivery"}, hidden: []string{"DELIVERY", "NEXT TRY", "DELIVERED"},
				states: []state{
					{"delivery=pending", "operator.webhook.pending", web.Info},
					{"delivery=delivered", "operator.webhook.delivered", web.Good},
					{"delivery=failed", "operator.webhook.failed", web.Bad},
					{"", "operator.webhook.not_sent", ""},
				},
				actions: []action{{verb: "webhooks.resend"}},
			}},
		},
		{
			name: "tenants", title: "operator.nav.tenants", list: "tenants.find", show: "tenants.show", create: "tenants.create",
			key: "id", param: "tenantId", columns: []string{"tenant"}, first: "NAME", filters: []string{"text"}, detail: []string{"TENANT"}, related: []string{"audit/logins"},
			actions: []action{{verb: "tenants.rename"}, {verb: "tenants.delete", gone: true}},
			sections: []*resource{
				{
					title: "operator.clients.title", list: "clients.list", create: "clients.create", key: "clientId", param: "clientId", hidden: []string{"ACTIVE", "REDIRECTS"},
					states: []state{{"active", "operator.clients.on", web.Good}, {"", "operator.clients.off", ""}},
					actions: []action{
						{verb: "clients.activate", when: "!active"},
						{verb: "clients.deactivate", when: "active"},
						{verb: "clients.rotate", when: "type=CONFIDENTIAL", confirm: true},
						{verb: "clients.delete", when: "!active"},
					},
				},
				{
					title: "operator.invitations.title", list: "invitations.list", create: "invitations.create", key: "id", param: "id", hidden: []string{"USED", "REVOKED"},
					states: []state{
						{"revokedAt", "operator.invitation.revoked", ""},
						{"expiresAt<now", "operator.invitation.expired", ""},
						{"usedAt singleUse", "operator.invitation.used", ""},
						{"", "operator.invitation.valid", web.Good},
					},
					actions: []action{{verb: "invitations.revoke", when: "!revokedAt", confirm: true}},
				},
				{title: "operator.tenant.webhook", show: "tenants.webhook.show", param: "tenantId", hidden: []string{"TENANT", "NAME", "ENABLED"}, states: endpointStates, actions: endpointActions("tenants.webhook.")},
			},
		},
		{
			name: "whatsapp-ids", title: "operator.nav.whatsapp_ids", list: "people.ids.list", first: "NUMBER", filters: []string{"only", "of"}, hidden: []string{"PAIR", "LEARNED AT", "WITHDRAWN AT", "REASON"},
			states: []state{
				{"reason=newer_id", "operator.whatsapp_id.newer_id", ""},
				{"reason=moved", "operator.whatsapp_id.moved", ""},
				{"reason=operator", "operator.whatsapp_id.withdrawn", ""},
				{"", "operator.whatsapp_id.used", web.Good},
			},
		},
		{name: "audit", title: "operator.nav.audit", list: "audit.list", first: "AT", flows: true, hidden: []string{"ACTOR'S ID", "EMAIL", "TARGET", "DETAILS", "ADDRESS"}, filters: []string{"account", "action"}, related: []string{"audit/logins"}},
		{name: "audit/logins", title: "operator.nav.events", list: "events.list", first: "AT", filters: []string{"tenantId", "type", "loginId"}, related: []string{"audit"}},
	}
	for _, r := range resources {
		for _, section := range r.sections {
			section.parent = r
		}
	}
	return resources
}

// path returns the URL of the list.
func (r *resource) path() string { return Home + "/" + r.name }

// at returns the URL of a record's page.
func (r *resource) at(key string) string { return r.path() + "/" + url.PathEscape(key) }

// accountPath and senderPath return the URLs of the pages of an account and a sender.
func accountPath(id string) string { return Home + "/accounts/" + url.PathEscape(id) }
func senderPath(id string) string  { return Home + "/senders/" + url.PathEscape(id) }

// back returns the URL of the page that a form with this query was opened from.
func (r *resource) back(query url.Values) string {
	switch {
	case r.parent != nil:
		return r.parent.back(query)
	case query.Get(r.param) == "" || r.key == "":
		return r.path()
	}
	return r.at(query.Get(r.param))
}

// query returns the query of a form's URL, which identifies a record. page is the query of the page that the record is on.
func (r *resource) query(page url.Values, record map[string]any) url.Values {
	q := url.Values{}
	for name := range page {
		q.Set(name, page.Get(name))
	}
	if r.key != "" && record != nil {
		q.Set(r.param, fmt.Sprint(record[r.key]))
	}
	return q
}

// state returns the state of a record, or nil.
func (r *resource) state(record map[string]any, now time.Time) *state {
	if i := slices.IndexFunc(r.states, func(s state) bool { return s.when.holds(record, now) }); i >= 0 {
		return &r.states[i]
	}
	return nil
}

// resource returns the resource with a name, or nil.
func (p *Pages) resource(name string) *resource {
	if i := slices.IndexFunc(p.resources, func(r *resource) bool { return r.name == name }); i >= 0 {
		return p.resources[i]
	}
	return nil
}

// withSections returns the resources and their sections.
func (p *Pages) withSections() (all []*resource) {
	for _, r := range p.resources {
		all = append(append(all, r), r.sections...)
	}
	return all
}

// action returns the resource and the action of a form's URL. The action that creates a record is made up.
func (p *Pages) action(verb string, query url.Values) (*resource, *action) {
	for _, r := range p.withSections() {
		for i := range r.actions {
			if a := &r.actions[i]; a.verb == verb && a.isGiven(query) {
				return r, a
			}
		}
		if r.create == verb && (r.parent == nil || query.Has(r.parent.param)) {
			return r, &action{verb: verb, outcomes: r.created}
		}
	}
	return nil, nil
}

func (a *action) isGiven(query url.Values) bool {
	for name := range a.given {
		if query.Get(name) != a.given.Get(name) {
			return false
		}
	}
	return true
}

// textName returns the last part of the action's text keys.
func (a *action) textName() string {
	if a.name != "" {
		return a.name
	}
	return a.verb
}
