package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// deciders are the files of delivery and of the outbox that can set a status, with the reason.
var deciders = map[string]string{
	"messaging/delivery/decide.go":              "it is the only place that chooses the next status of a stored message",
	"messaging/delivery/decide_without_call.go": "it belongs to decide.go",
	"messaging/delivery/submit.go":              "a new message, which is not stored yet",
	"messaging/delivery/import.go":              "a message of the past, which is not stored yet; what becomes of it is decide's",
	"messaging/outbox/begin.go":                 "a message that was marked as SENDING, as its row is now",
	"messaging/outbox/insert.go":                "a new message, while it is stored",
	"messaging/outbox/store.go":                 "an entry, as it was read",
}

// transitionMakers are the files that can make a transition from the result of decide.
var transitionMakers = map[string]string{
	"messaging/delivery/settle.go": "of a stored message",
	"messaging/delivery/import.go": "of a message of the past, with all that became of it",
}

// For every event of a stored message, delivery's decide chooses the next status. A status is written to the
// database only by transitions, which are made from the result of decide.
func TestOneFileDecides(t *testing.T) {
	set, made := map[string]bool{}, false
	for _, p := range sourceTree(t) {
		for _, f := range p.files {
			if f.test || isHelper(p.dir) {
				continue
			}
			for _, n := range transitions(f.ast) {
				made = true
				if transitionMakers[f.path] == "" {
					t.Errorf("%s: an outbox.Transition is made: only settle.go and import.go make one, of what decide returned", f.at(n))
				}
			}
			if !withinAny(p.dir, []string{"messaging/delivery", "messaging/outbox"}) {
				continue
			}
			for _, n := range setsStatus(f.ast) {
				set[f.path] = true
				if deciders[f.path] == "" {
					t.Errorf("%s: a status is set: only messaging/delivery/decide.go chooses the next one", f.at(n))
				}
			}
		}
	}
	for path := range deciders {
		if !set[path] {
			t.Errorf("%s sets no status any more: take it from the list", path)
		}
	}
	if !made {
		t.Error("nobody makes an outbox.Transition: this test looks for the wrong thing")
	}
}

func TestStatusesAndTransitionsAreFound(t *testing.T) {
	const planted = `package planted

func f(m *message.Message) {
	m.Status = message.Sent
	m.DueAt, m.Status = x, message.Failed
	_ = &outbox.Transition{Message: m}
	_ = outbox.Transition{}
	if m.Status == message.Sent {
		m.Status.Open()
	}
	_ = outbox.Entry{Status: m.Status}
}
`
	f, err := parser.ParseFile(token.NewFileSet(), "planted.go", planted, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(setsStatus(f)); n != 2 {
		t.Errorf("%d statuses are set, want 2", n)
	}
	if n := len(transitions(f)); n != 2 {
		t.Errorf("%d transitions are made, want 2", n)
	}
}

// setsStatus returns the assignments to a field Status.
func setsStatus(f *ast.File) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for _, to := range a.Lhs {
			if s, ok := to.(*ast.SelectorExpr); ok && s.Sel.Name == "Status" {
				found = append(found, s)
			}
		}
		return true
	})
	return found
}

// transitions returns the literals of outbox.Transition.
func transitions(f *ast.File) (found []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		l, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if s, ok := l.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Transition" {
			found = append(found, l)
		}
		return true
	})
	return found
}
