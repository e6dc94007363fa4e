package operator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/griot/internal/phone"
	"example.com/griot/messaging/audit"
)

// sentence returns the sentence for an event of the audit log, without its actor.
func (v *visit) sentence(event map[string]any) string {
	action := fmt.Sprint(event["action"])
	key, about, known := audit.Sentence(action)
	switch {
	case !known:
		return v.lang.T("dashboard.did_other", action)
	case action == audit.MessageViewed: // the event has no recipient
		return v.lang.T("operator.audit.message_viewed")
	case about == "":
		return v.lang.T(key)
	}
	details, _ := event["details"].(map[string]any)
	value, _ := details[about].(string)
	return v.lang.T(key, shownDetail(about, cmp.Or(value, fmt.Sprint(event["target"]))))
}

// shownDetail groups the digits of a detail that is a phone number. Others can be as long, such as a count.
func shownDetail(name, value string) string {
	if slices.Contains([]string{"address", "to", "wanted", audit.OfTarget}, name) {
		return phone.Grouped(value)
	}
	return value
}

// details returns the details and the target of an event that its sentence doesn't name, in words, and its network. A target
// that the sentence links to is left out. A detail without a text, such as an ID, is its name and its value.
func (v *visit) details(event map[string]any, linked bool) string {
	action, target := fmt.Sprint(event["action"]), fmt.Sprint(event["target"])
	_, about, known := audit.Sentence(action)
	details, _ := event["details"].(map[string]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(details)) {
		value := fmt.Sprint(details[name])
		key := "dashboard.detail_" + strings.ToLower(name)
		switch {
		case name == about:
		case v.lang.Has(key + "_" + value):
			out = append(out, v.lang.T(key+"_"+value))
		case v.lang.Has(key):
			out = append(out, v.lang.T(key, shownDetail(name, v.valueText(name, value))))
		default:
			out = append(out, name+": "+shownDetail(name, value))
		}
	}
	if target != "" && !linked && (!known || about != audit.OfTarget || action == audit.MessageViewed) {
		out = append(out, target)
	}
	if network, _ := event["address"].(string); network != "" {
		out = append(out, network)
	}
	return strings.Join(out, " · ")
}
