package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/web"
)

// toolField is the name of the form's checkboxes.
const toolField = "tool"

// keyTools is the form for the tools that a live key has at the assistant endpoint.
type keyTools struct {
	URL     string
	Version string       // of the stored values: see package forms
	Reads   []toolChoice // groups that send nothing
	Send    toolChoice
	Stale   string // see [web.StaleText]: the stored groups
	NoInbox bool   // the plan doesn't include the endpoint
}

type toolChoice struct {
	Value, Label, About string
	Chosen              bool
}

// toolsForm returns the form of a key with the chosen groups.
func toolsForm(v *visit, k *account.Key, chosen account.Tools) *keyTools {
	f := &keyTools{URL: v.url(keyURL(k.ID) + "/tools"), Version: k.Tools.Version(), NoInbox: !v.caller.Account.Plan.Inbox}
	f.Stale = web.StaleText(v.lang, toolNames(v.lang, chosen), toolNames(v.lang, k.Tools))
	for i, name := range account.ToolNames() {
		group := account.Tools(1) << i
		c := toolChoice{name, v.lang.T("dashboard.keys.tool_" + name), v.lang.T("dashboard.keys.tool_" + name + "_about"), chosen.Has(group)}
		if group == account.ToolSend {
			f.Send = c
		} else {
			f.Reads = append(f.Reads, c)
		}
	}
	return f
}

// toolNames returns the names of groups for people.
func toolNames(lang i18n.Lang, tools account.Tools) string {
	var names []string
	for _, name := range tools.Names() {
		names = append(names, lang.T("dashboard.keys.tool_"+name))
	}
	return strings.Join(names, ", ")
}

// setTools handles POST /dashboard/keys/:id/tools. The key has exactly the selected groups.
func (d *Dashboard) setTools(v *visit, form url.Values) error {
	chosen, err := account.ParseTools(form[toolField])
	if err != nil {
		return err
	}
	k, err := d.o.Directory.SetToolsFor(v.r.Context(), v.caller, v.r.PathValue("id"), form.Get(forms.VersionField), chosen)
	switch {
	case err == nil:
		return v.see(keyURL(k.ID) + "?done=key_tools")
	case errors.Is(err, forms.ErrStale):
		return d.showStaleTools(v, chosen)
	}
	e, ok := refusal(err)
	if !ok || e.Kind == apierror.KeyNotFound {
		return err
	}
	if k, err = d.findKey(v); err != nil { // the current state
		return err
	}
	return d.showKey(v, e.Kind.Status, k, explain(v.lang, e))
}

// showStaleTools shows the form of a key whose tools have changed since the form was shown, with the chosen and the
// stored values.
func (d *Dashboard) showStaleTools(v *visit, chosen account.Tools) error {
	k, err := d.findKey(v)
	if err != nil {
		return err
	}
	page, err := d.keyPage(v, k)
	if err != nil {
		return err
	}
	if page.Tools != nil {
		page.Tools = toolsForm(v, k, chosen)
	}
	v.wrong = "component.stale"
	return d.serve(v, http.StatusConflict, pageKey, keysPath, page)
}
