package logtest

import (
	"log/slog"
	"strings"
	"sync"
)

// Recorder records log output. Its zero value is ready to use and safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (j *Recorder) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String returns the recorded output.
func (j *Recorder) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Logger returns a logger that writes to the recorder at every level.
func (j *Recorder) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
