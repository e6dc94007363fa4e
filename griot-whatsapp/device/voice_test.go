package device

import (
	"encoding/binary"
	"strings"
	"testing"
)

// page returns a page of an Ogg file with one packet of at most 254 bytes.
func page(flags byte, position int64, stream uint32, packet string) string {
	b := append([]byte("OggS\x00"), flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(position))
	b = binary.LittleEndian.AppendUint32(b, stream)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 1, byte(len(packet)))
	return string(b) + packet
}

const (
	opusHead = "OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00" // mono, 312 samples to skip
	opusTags = "OpusTags\x00\x00\x00\x00\x00\x00\x00\x00"
)

// opus returns a voice note of some samples.
func opus(samples int64) string {
	return page(2, 0, 7, opusHead) + page(0, 0, 7, opusTags) + page(0, -1, 7, "sound") + page(4, samples+312, 7, "sound")
}

func TestVoice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file    string
		seconds uint32
		ok      bool
	}{
		"one second":                {opus(48_000), 1, true},
		"a little more":             {opus(48_001), 2, true},
		"the beginning of a second": {opus(1), 1, true},
		"an hour":                   {opus(3600 * 48_000), 3600, true},
		"another stream after it":   {opus(48_000) + page(2, 0, 9, "theora") + page(0, 1<<40, 9, "x"), 1, true},
		"something else after it":   {opus(48_000) + "TAG", 1, true},
		"cut off":                   {opus(96_000)[:len(opus(96_000))-1], 0, false},
		"no sound":                  {page(2, 0, 7, opusHead) + page(0, 0, 7, opusTags), 0, false},
		"two days":                  {opus(48 * 3600 * 48_000), 0, false},
		"a negative position":       {page(2, 0, 7, opusHead) + page(4, -9, 7, "sound"), 0, false},
		"a newer version":           {page(2, 0, 7, strings.Replace(opusHead, "\x01", "\x11", 1)) + page(4, 48_312, 7, "sound"), 0, false},
		"Vorbis":                    {page(2, 0, 7, "\x01vorbis"+strings.Repeat("x", 23)) + page(4, 48_000, 7, "sound"), 0, false},
		"a short head":              {page(2, 0, 7, "OpusHead"), 0, false},
		"MP3":                       {"ID3\x03OpusHead", 0, false},
		"nothing":                   {"", 0, false},
	} {
		if seconds, ok := voice([]byte(tt.file)); seconds != tt.seconds || ok != tt.ok {
			t.Errorf("%s: %d, %v, want %d, %v", name, seconds, ok, tt.seconds, tt.ok)
		}
	}
}

// Any file is read without a panic, and a voice note has a duration of up to a day.
func FuzzVoice(f *testing.F) {
	f.Add([]byte(opus(48_000)))
	f.Add([]byte(page(2, 0, 7, "\x01vorbis")))
	f.Fuzz(func(t *testing.T, file []byte) {
		if seconds, ok := voice(file); ok != (seconds > 0) || seconds > maxVoice {
			t.Errorf("%d, %v", seconds, ok)
		}
	})
}
