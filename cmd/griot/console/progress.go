package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	barWidth      = 20
	progressEvery = 100 * time.Millisecond
)

// Progress shows the progress of a task in one line of a terminal. It is safe for concurrent use. Without a
// terminal, it shows nothing.
type Progress struct {
	w     io.Writer
	total int
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	shown time.Time
}

// NewProgress returns the progress of a task with total items.
func NewProgress(w io.Writer, total int, now func() time.Time) *Progress {
	if Width(w) == 0 {
		w = nil
	}
	return &Progress{w: w, total: total, now: now, began: now()}
}

// Show shows the number of completed items, with a note.
func (p *Progress) Show(done int, note string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if done < p.total && now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	_, _ = io.WriteString(p.w, "\r\x1b[K"+Cut(progressLine(done, p.total, now.Sub(p.began), note), Width(p.w)-1))
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.w, "\r\x1b[K")
}

func progressLine(done, total int, took time.Duration, note string) string {
	full := barWidth
	if total > 0 {
		full = barWidth * done / total
	}
	s := fmt.Sprintf("[%s%s] %d of %d", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), done, total)
	if seconds := took.Seconds(); done > 0 && seconds >= 1 {
		s += fmt.Sprintf(", %.0f per second", float64(done)/seconds)
		if done < total {
			s += ", " + (took * time.Duration(total-done) / time.Duration(done)).Round(time.Second).String() + " to go"
		}
	}
	if note != "" {
		s += ", " + note
	}
	return s
}
