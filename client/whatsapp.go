package griot

// Forms is what a message can be on WhatsApp beyond its text: one of the two.
type Forms struct {
	Template    *Template    `json:"template,omitempty"`
	Interactive *Interactive `json:"interactive,omitempty"`
}

// Template is a message that Meta has approved, with what its places are filled with.
// The picture, video, or document of its header is [Message.MediaURL].
type Template struct {
	Name       string            `json:"name"`
	Language   string            `json:"language"` // as Meta calls it: fr, en_US
	Header     string            `json:"header,omitempty"`
	HeaderName string            `json:"headerName,omitempty"` // of Header's place, where the places have names
	Body       []string          `json:"body,omitempty"`       // {{1}}, {{2}}, and so on
	Named      map[string]string `json:"named,omitempty"`      // instead of Body, where the places have names
	Buttons    []TemplateButton  `json:"buttons,omitempty"`
}

// TemplateButton fills the place of a template's button.
type TemplateButton struct {
	Index int    `json:"index"` // 0 is the first
	Type  string `json:"type"`  // url, quick_reply, or copy_code
	Value string `json:"value"` // the end of the address, what comes back, or the code
}

// Interactive is what stands below a text: one of Buttons, List, and Link. What a
// person presses comes in as a message.
type Interactive struct {
	Header  string   `json:"header,omitempty"`
	Footer  string   `json:"footer,omitempty"`
	Buttons []Choice `json:"buttons,omitempty"` // up to three
	List    *List    `json:"list,omitempty"`
	Link    *Link    `json:"link,omitempty"`
}

// Choice is one that a person can make.
type Choice struct {
	ID          string `json:"id"` // comes back with the choice
	Title       string `json:"title"`
	Description string `json:"description,omitempty"` // in a list
}

// List is a menu behind a button, with up to ten rows in all.
type List struct {
	Button   string    `json:"button"`
	Sections []Section `json:"sections"`
}

// Section is a part of a list.
type Section struct {
	Title string   `json:"title,omitempty"` // needed when there are several
	Rows  []Choice `json:"rows"`
}

// Link is a button that opens an address.
type Link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}
