package message

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/visible"
)

// Limits of WhatsApp's templates and interactive messages, in characters unless another unit is given. They are
// Meta's limits, so that an invalid request is refused before it is accepted.
const (
	maxTemplateName    = 512
	maxTemplateValue   = 1024
	maxTemplateValues  = 100
	maxTemplateButtons = 10
	maxHeader          = 60
	maxFooter          = 60
	maxInteractiveText = 1024 // of the message; with a list, the normal limit applies
	maxButtons         = 3
	maxTitle           = 20
	maxButtonID        = 256
	maxSections        = 10
	maxRows            = 10 // in all sections together
	maxRowTitle        = 24
	maxDescription     = 72
	maxRowID           = 200
	maxLink            = 2000 // in bytes
)

// CategoryMarketing is the category of templates that people can refuse at WhatsApp.
const CategoryMarketing = "marketing"

var (
	templateName     = regexp.MustCompile(`\A[a-z0-9_]+\z`)
	templateLanguage = regexp.MustCompile(`\A[a-z]{2,3}(_[A-Za-z]{2,4})?\z`)
	templatePlace    = regexp.MustCompile(`\A[a-z0-9_]{1,64}\z`)
)

// checkForms applies the rules for templates and interactive messages.
func (r *Request) checkForms() error {
	t, i := r.Content.Template, r.Content.Interactive
	switch {
	case t == nil && i == nil:
		return nil
	case r.Channel != gateway.WhatsApp && r.Channel != Auto:
		return apierror.InvalidRequest.On("whatsapp").Detailf("whatsapp needs channel whatsapp or auto.")
	case t != nil && i != nil:
		return apierror.InvalidRequest.On("whatsapp").Detailf("whatsapp must have either a template or an interactive part, not both.")
	case r.Content.Text == "":
		return apierror.InvalidRequest.On("message").Detailf("message is required: histories show it, and channels without templates or buttons send it.")
	case t != nil:
		return r.checkTemplate(t)
	}
	return r.checkInteractive(i)
}

// A check collects the first error in a part of the request.
type check struct{ err error }

// require sets the error of a field unless ok is true.
func (c *check) require(ok bool, member, format string, args ...any) {
	if c.err == nil && !ok {
		c.err = apierror.InvalidRequest.On(member).Detailf(format, args...)
	}
}

// line requires a single line of 1 to most characters.
func (c *check) line(s, member string, most int) {
	n := utf8.RuneCountInString(s)
	c.require(n >= 1 && n <= most && strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, unicode.IsControl), member, "This text must have 1 to %d characters, and no control characters.", most)
}

// optional is like line, for a text that can be missing.
func (c *check) optional(s, member string, most int) {
	if s != "" {
		c.line(s, member, most)
	}
}

func (r *Request) checkTemplate(t *gateway.Template) error {
	const at = "whatsapp.template."
	var c check
	c.require(templateName.MatchString(t.Name) && len(t.Name) <= maxTemplateName, at+"name", "A template's name can contain only lowercase letters, digits, and underscores.")
	c.require(templateLanguage.MatchString(t.Language), at+"language", "A template's language must be a code such as fr or en_US.")
	c.require(slices.Contains([]string{"", CategoryMarketing, "utility", "authentication"}, r.Content.Category), at+"category", "category must be marketing, utility, or authentication.")
	c.require(t.Header == "" || r.MediaURL == "", at+"header", "A template's header must be either a text or the file of mediaUrl, not both.")
	c.optional(t.Header, at+"header", maxHeader)
	c.require(t.HeaderName == "" || templatePlace.MatchString(t.HeaderName) && t.Header != "" && len(t.Body) == 0, at+"headerName", "headerName must be the name of the header's placeholder, with lowercase letters, digits, and underscores. Use it with named, not with body.")
	c.require(t.Header == "" || t.HeaderName != "" || len(t.Named) == 0, at+"headerName", "headerName is required with named placeholders.")
	c.require(len(t.Body) == 0 || len(t.Named) == 0, at+"named", "Set the template's placeholders with either body or named, not both.")
	c.require(len(t.Body) <= maxTemplateValues && len(t.Named) <= maxTemplateValues, at+"body", "A template can have at most %d placeholders.", maxTemplateValues)
	for i, v := range t.Body {
		c.value(v, fmt.Sprint(at, "body[", i, "]"))
	}
	for name, v := range t.Named {
		c.require(templatePlace.MatchString(name), at+"named", "A placeholder's name can contain only lowercase letters, digits, and underscores.")
		c.value(v, at+"named")
	}
	c.require(len(t.Buttons) <= maxTemplateButtons, at+"buttons", "A template can have at most %d buttons.", maxTemplateButtons)
	taken := map[int]bool{}
	for i, b := range t.Buttons {
		member := fmt.Sprint(at, "buttons[", i, "]")
		c.require(b.Index >= 0 && b.Index < maxTemplateButtons && !taken[b.Index], member+".index", "index must be 0 (the first button) to %d, and each index can be used only once.", maxTemplateButtons-1)
		taken[b.Index] = true
		c.require(slices.Contains([]gateway.TemplateButtonType{gateway.ButtonURL, gateway.ButtonQuickReply, gateway.ButtonCopyCode}, b.Type), member+".type", "type must be url, quick_reply, or copy_code.")
		c.line(b.Value, member+".value", maxTemplateValue)
	}
	return c.err
}

// value requires a text that is valid in a template's placeholder.
func (c *check) value(s, member string) {
	c.line(s, member, maxTemplateValue)
	c.require(!strings.Contains(s, "     "), member, "A template's value can have at most four consecutive spaces.")
}

func (r *Request) checkInteractive(i *gateway.Interactive) error {
	const at = "whatsapp.interactive"
	var c check
	kinds := 0
	for _, there := range []bool{len(i.Buttons) > 0, i.List != nil, i.Link != nil} {
		if there {
			kinds++
		}
	}
	c.require(kinds == 1, at, "interactive must have exactly one of buttons, list, and link.")
	c.require(r.GroupID == "", "groupId", "Groups can't receive interactive messages.")
	c.require(i.Header == "" || r.MediaURL == "", at+".header", "The header must be either a text or the file of mediaUrl, not both.")
	c.optional(i.Header, at+".header", maxHeader)
	c.optional(i.Footer, at+".footer", maxFooter)
	if i.List != nil {
		c.require(r.MediaURL == "", "mediaUrl", "A list can't have an attachment.")
		c.list(i.List, at+".list")
		return c.err
	}
	c.require(utf8.RuneCountInString(r.Content.Text) <= maxInteractiveText, "message", "message can have at most %d characters with buttons or a link.", maxInteractiveText)
	c.require(len(i.Buttons) <= maxButtons, at+".buttons", "A message can have at most %d buttons. A list can have %d rows.", maxButtons, maxRows)
	c.choices(i.Buttons, at+".buttons", maxTitle, maxButtonID)
	if i.Link != nil {
		c.line(i.Link.Title, at+".link.title", maxTitle)
		link, seen := visible.Address(i.Link.URL)
		c.require(seen, at+".link.url", "url must not contain invisible characters.")
		i.Link.URL = link
		u, err := url.Parse(link)
		c.require(err == nil && len(i.Link.URL) <= maxLink && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http"), at+".link.url", "url must be an https or http URL of at most %d bytes.", maxLink)
	}
	return c.err
}

func (c *check) list(l *gateway.List, member string) {
	c.line(l.Button, member+".button", maxTitle)
	c.require(len(l.Sections) >= 1 && len(l.Sections) <= maxSections, member+".sections", "A list must have 1 to %d sections.", maxSections)
	var all []gateway.Choice
	for i, s := range l.Sections {
		at := fmt.Sprint(member, ".sections[", i, "]")
		c.require(s.Title != "" || len(l.Sections) == 1, at+".title", "If a list has several sections, each needs a title.")
		c.optional(s.Title, at+".title", maxRowTitle)
		c.require(len(s.Rows) > 0, at+".rows", "A section must have at least one row.")
		c.choices(s.Rows, at+".rows", maxRowTitle, maxRowID)
		for j, row := range s.Rows {
			c.optional(row.Description, fmt.Sprint(at, ".rows[", j, "].description"), maxDescription)
		}
		all = append(all, s.Rows...)
	}
	c.require(len(all) <= maxRows, member+".sections", "A list can have at most %d rows in total.", maxRows)
	c.distinctIDs(all, member+".sections")
}

func (c *check) choices(all []gateway.Choice, member string, title, id int) {
	for i, choice := range all {
		at := fmt.Sprint(member, "[", i, "]")
		c.line(choice.Title, at+".title", title)
		c.line(choice.ID, at+".id", id)
		c.require(strings.TrimSpace(choice.ID) == choice.ID, at+".id", "An id can't start or end with a space.")
	}
	c.distinctIDs(all, member)
}

// distinctIDs requires that the choices' IDs differ.
func (c *check) distinctIDs(all []gateway.Choice, member string) {
	ids := map[string]bool{}
	for _, choice := range all {
		c.require(!ids[choice.ID], member, "Each id can be used only once.")
		ids[choice.ID] = true
	}
}
