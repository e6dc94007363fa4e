package web

import "time"

// The operator's pages that are made of the table of verbs.
const (
	PageOperatorResource = "operator_resource" // OperatorResource
	PageOperatorForm     = "operator_form"     // OperatorForm
)

// OperatorResource lists records, or shows one with what belongs to it.
type OperatorResource struct {
	Title, Text     string // without Text there is no sentence below the title
	State           *Badge // of the record; nil: none
	URL             string // where the filters are sent to
	Above, AboveURL string // the list that the record is from; empty: this is a list
	Tabs            Tabs   // above the last section
	Actions         []OperatorAction
	Filters         []Field
	Filtered        bool
	Lines           []OperatorLine // of the record
	Sections        []OperatorSection
	Pages           Pagination
}

// OperatorAction leads to a page, or is a button.
type OperatorAction struct {
	URL, Text string
	About     string // of which record of a list it is; empty: there is one
	Posts     bool   // it is a button, which posts to URL
	Danger    bool
}

// OperatorLine is a member of a record.
type OperatorLine struct {
	Label string
	Cell  OperatorCell
}

// OperatorCell is a time or, where that is zero, a text; empty: there is nothing.
type OperatorCell struct {
	Text, URL string // URL is empty where the text leads nowhere
	At        time.Time
	Wide      bool           // its column is as wide as it, up to a limit
	Named     []OperatorCell // the records that Text names, if they have pages; shown instead of it
}

// OperatorSection is a list, or one record that has no page of its own, which has Lines.
type OperatorSection struct {
	Title      string
	HasHeading bool   // the title is shown
	State      *Badge // of the one record
	Actions    []OperatorAction
	Lines      []OperatorLine
	None       string // what is said where there are no rows
	Head       []string
	HasStates  bool // the second column is the state of each record
	HasActions bool // the last column is what can be done with each record
	Rows       []OperatorRow
}

// OperatorRow is a record of a list, and what can be done with it.
type OperatorRow struct {
	State   *Badge // nil: none
	Cells   []OperatorCell
	Actions []OperatorAction
}

// OperatorForm asks for what a verb needs.
type OperatorForm struct {
	Title, Text     string
	URL             string // where it is posted to
	Above, AboveURL string // the page that it was opened from
	Version         string // of what it shows (package stale); empty: none
	Choices         []Tab  // lead to forms; then there is none here
	Inputs          []OperatorInput
	More            []OperatorInput // that few need
	MoreOpen        bool            // they are shown at first
	Passed          string          // the result of a test that passed; empty: there was none
	Try             string          // the button that tests what was filled in without storing it; empty: there is none
	Confirm         string          // at the box to tick; empty: there is none
	Button          string
	Danger          bool
}

// OperatorInput is a field of a form: Select where it is not nil, or else Field as Kind says.
type OperatorInput struct {
	Field  Field
	Select *Select
	Kind   string // field, check, area
	On     bool   // of a check
}
