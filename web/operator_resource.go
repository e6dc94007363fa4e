package web

import "time"

// The operator's pages that are generated from the table of verbs.
const (
	PageOperatorResource = "operator_resource" // OperatorResource
	PageOperatorForm     = "operator_form"     // OperatorForm
)

// OperatorResource lists records, or shows one record with its related lists.
type OperatorResource struct {
	Title, Text     string // if Text is empty, there is no sentence below the title
	State           *Badge // of the record; nil: none
	URL             string // target of the filters
	Above, AboveURL string // the list that contains the record; empty: this is a list
	Tabs            Tabs   // above the last section
	Actions         []OperatorAction
	Filters         []Field
	Filtered        bool
	Lines           []OperatorLine // of the record
	Sections        []OperatorSection
	Pages           Pagination
}

// OperatorAction is a link to a page, or a button.
type OperatorAction struct {
	URL, Text string
	About     string // name of the record in a list; empty: there is only one record
	Posts     bool   // it is a button that posts to URL
	Danger    bool
}

// OperatorLine is a field of a record.
type OperatorLine struct {
	Label string
	Cell  OperatorCell
}

// OperatorCell is a time or, if that is zero, a text. It can be empty.
type OperatorCell struct {
	Text, URL string // URL is empty if the text isn't a link
	More      string // a second line; empty: none
	At        time.Time
	Flows     bool           // its text wraps, so that the table isn't wider than its window
	Wide      bool           // its column is as wide as its text, up to a limit
	Named     []OperatorCell // the records that Text names, if they have pages; shown instead of it
}

// OperatorSection is a list, or a single record without its own page, which has Lines.
type OperatorSection struct {
	Title      string
	HasHeading bool   // the title is shown
	State      *Badge // of the one record
	Actions    []OperatorAction
	Lines      []OperatorLine
	None       string // text for an empty list
	Head       []string
	HasStates  bool // the second column shows the state of each record
	HasActions bool // the last column has the actions of each record
	Rows       []OperatorRow
}

// OperatorRow is a record of a list, with its actions.
type OperatorRow struct {
	State   *Badge // nil: none
	Cells   []OperatorCell
	Actions []OperatorAction
}

// OperatorForm is the form of a verb.
type OperatorForm struct {
	Title, Text     string
	URL             string            // target of the form
	Above, AboveURL string            // the previous page
	Version         string            // of the shown values ([forms.Version]); empty: none
	Once            string            // makes the form act only once; empty: it can act again
	Held            string            // names the typed secrets that the server holds for this form; empty: none
	Choices         []OperatorChoices // links to forms; if set, this page has no form itself
	Inputs          []OperatorInput
	More            []OperatorInput // that are rarely needed
	MoreOpen        bool            // they are visible at first
	Passed          string          // the result of a passed test; empty: none
	Try             string          // label of the button that tests the values without storing them; empty: no button
	Confirm         string          // label of the checkbox for the confirmation; empty: no checkbox
	Button          string
	Danger          bool
}

// OperatorChoices is a group of links to forms.
type OperatorChoices struct {
	ID, Title string // of its heading
	Choices   []OperatorChoice
}

// OperatorChoice is a link to a form.
type OperatorChoice struct {
	URL, Label   string
	Needs, Price string // what the form asks for, and how messages are paid for
}

// OperatorInput is a field of a form: Select if it is not nil, otherwise Field in the form that Kind names.
type OperatorInput struct {
	Field  Field
	Select *Select
	Kind   string // field, check, area
	On     bool   // of a check
}
