package gateway

// Template is a message that WhatsApp's provider has approved beforehand, with the values of its placeholders. It can
// be sent to people who have not written first. The picture, video, or document of its header is [Outbound.Media].
type Template struct {
	Name       string            `json:"name"`     // the provider's name, such as order_shipped
	Language   string            `json:"language"` // the provider's language code, such as fr or en_US
	Header     string            `json:"header,omitempty"`
	HeaderName string            `json:"headerName,omitempty"` // name of Header's placeholder, if placeholders are named
	Body       []string          `json:"body,omitempty"`       // values of {{1}}, {{2}}, and so on
	Named      map[string]string `json:"named,omitempty"`      // instead of Body, if placeholders are named
	Buttons    []TemplateButton  `json:"buttons,omitempty"`
}

// TemplateButton is the value of a button's placeholder.
type TemplateButton struct {
	Index int                `json:"index"` // starts at 0
	Type  TemplateButtonType `json:"type"`
	Value string             `json:"value"` // the end of the URL, the payload of a reply, or the code to copy
}

// TemplateButtonType is the type of a template's button.
type TemplateButtonType string

// The types of buttons that have a placeholder.
const (
	ButtonURL        TemplateButtonType = "url"
	ButtonQuickReply TemplateButtonType = "quick_reply"
	ButtonCopyCode   TemplateButtonType = "copy_code"
)

// Interactive is shown below a message's text on WhatsApp. It is either reply buttons, a list to choose from, or a
// link. When a person presses a button or row, an inbound message reports it. With buttons and links,
// [Outbound.Media] is shown above the text.
type Interactive struct {
	Header  string   `json:"header,omitempty"`
	Footer  string   `json:"footer,omitempty"`
	Buttons []Choice `json:"buttons,omitempty"`
	List    *List    `json:"list,omitempty"`
	Link    *Link    `json:"link,omitempty"`
}

// Choice is a button or a list row that a person can press.
type Choice struct {
	ID          string `json:"id"` // returned with the choice
	Title       string `json:"title"`
	Description string `json:"description,omitempty"` // only in a list
}

// List is a menu that opens with a button.
type List struct {
	Button   string    `json:"button"`
	Sections []Section `json:"sections"`
}

// Section is a part of a list.
type Section struct {
	Title string   `json:"title,omitempty"` // required if there are several sections
	Rows  []Choice `json:"rows"`
}

// Link is a button that opens a URL.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}
