package griot

// Forms are the forms of a WhatsApp message other than text. Set only one of the fields.
type Forms struct {
	Template    *Template    `json:"template,omitempty"`
	Interactive *Interactive `json:"interactive,omitempty"`
}

// A Template is a message that Meta has approved, with the values of its parameters. The picture, video, or document
// of its header is [Message.MediaURL].
type Template struct {
	Name       string            `json:"name"`
	Language   string            `json:"language"`           // a language code of Meta, such as fr or en_US
	Category   string            `json:"category,omitempty"` // marketing, utility, or authentication; not sent to Meta
	Header     string            `json:"header,omitempty"`
	HeaderName string            `json:"headerName,omitempty"` // name of the header's parameter, for templates with named parameters
	Body       []string          `json:"body,omitempty"`       // values of {{1}}, {{2}}, and so on
	Named      map[string]string `json:"named,omitempty"`      // instead of Body, for templates with named parameters
	Buttons    []TemplateButton  `json:"buttons,omitempty"`
}

// A TemplateButton sets the parameter of a template's button.
type TemplateButton struct {
	Index int    `json:"index"` // starts at 0
	Type  string `json:"type"`  // url, quick_reply, or copy_code
	Value string `json:"value"` // the end of the URL, the reply payload, or the code
}

// An Interactive is shown below a text. It has one of Buttons, List, and Link. When a person presses a choice, an
// incoming message reports it.
type Interactive struct {
	Header  string   `json:"header,omitempty"`
	Footer  string   `json:"footer,omitempty"`
	Buttons []Choice `json:"buttons,omitempty"` // up to three
	List    *List    `json:"list,omitempty"`
	Link    *Link    `json:"link,omitempty"`
}

// A Choice is an option that a person can choose.
type Choice struct {
	ID          string `json:"id"` // returned with the choice
	Title       string `json:"title"`
	Description string `json:"description,omitempty"` // only in a list
}

// A List is a menu that opens with a button and has up to ten rows in total.
type List struct {
	Button   string    `json:"button"`
	Sections []Section `json:"sections"`
}

// A Section is a part of a list.
type Section struct {
	Title string   `json:"title,omitempty"` // required if there are several sections
	Rows  []Choice `json:"rows"`
}

// A Link is a button that opens a URL.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}
