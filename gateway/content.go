package gateway

// Template is a message that WhatsApp's provider has approved beforehand, with the
// values of its placeholders. It may be sent to people who have not written first. A picture,
// video, or document of its header is [Outbound.Media].
type Template struct {
	Name       string            `json:"name"`     // as the provider knows it: order_shipped
	Language   string            `json:"language"` // as the provider calls it: fr, en_US
	Header     string            `json:"header,omitempty"`
	HeaderName string            `json:"headerName,omitempty"` // name of Header's placeholder, if placeholders are named
	Body       []string          `json:"body,omitempty"`       // {{1}}, {{2}}, and so on
	Named      map[string]string `json:"named,omitempty"`      // instead of Body, if placeholders are named
	Buttons    []TemplateButton  `json:"buttons,omitempty"`
}

// TemplateButton is the value of a button's placeholder.
type TemplateButton struct {
	Index int                `json:"index"` // 0 is the first
	Type  TemplateButtonType `json:"type"`
	Value string             `json:"value"` // the end of the URL, the payload of a reply, or the code to copy
}

// TemplateButtonType is what a template's button does.
type TemplateButtonType string

// The types of buttons that have a placeholder.
const (
	ButtonURL        TemplateButtonType = "url"
	ButtonQuickReply TemplateButtonType = "quick_reply"
	ButtonCopyCode   TemplateButtonType = "copy_code"
)

// Interactive is what WhatsApp shows below a message's text: reply buttons, a list
// to choose from, or a link; one of the three. A press of a button or row comes in as a
// message. With buttons and links, [Outbound.Media] is shown above the text.
type Interactive struct {
	Header  string   `json:"header,omitempty"`
	Footer  string   `json:"footer,omitempty"`
	Buttons []Choice `json:"buttons,omitempty"`
	List    *List    `json:"list,omitempty"`
	Link    *Link    `json:"link,omitempty"`
}

// Choice is a button or a list row that a person can press.
type Choice struct {
	ID          string `json:"id"` // comes back with the choice
	Title       string `json:"title"`
	Description string `json:"description,omitempty"` // in a list
}

// List is a menu behind a button.
type List struct {
	Button   string    `json:"button"`
	Sections []Section `json:"sections"`
}

// Section is a part of a list.
type Section struct {
	Title string   `json:"title,omitempty"` // needed when there are several
	Rows  []Choice `json:"rows"`
}

// Link is a button that opens a URL.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}
