package device

import (
	"bytes"
	"encoding/binary"
)

// voiceType is the MIME type of voice notes. Some phones play no other.
const voiceType = "audio/ogg; codecs=opus"

const (
	opusRate = 48_000       // samples per second of the positions in an Opus file, whatever the rate of its sound
	maxVoice = 24 * 60 * 60 // seconds; a longer duration is an error in the file
)

// oggPage is a page of an Ogg file.
type oggPage struct {
	first    bool
	position int64 // the samples until its end; -1: no packet ends on it
	stream   uint32
	body     []byte
}

// cutPage returns the page at the start of data, and the data after it. ok is false if there is none.
func cutPage(data []byte) (p oggPage, rest []byte, ok bool) {
	const header = 27
	if len(data) < header || string(data[:4]) != "OggS" || data[4] != 0 {
		return p, nil, false
	}
	start := header + int(data[26])
	if len(data) < start {
		return p, nil, false
	}
	end := start
	for _, length := range data[header:start] {
		end += int(length)
	}
	if len(data) < end {
		return p, nil, false
	}
	p = oggPage{
		first: data[5]&2 != 0, position: int64(binary.LittleEndian.Uint64(data[6:])), stream: binary.LittleEndian.Uint32(data[14:]),
		body: data[start:end],
	}
	return p, data[end:], true
}

// voice returns the duration of sound that is Opus in Ogg, in seconds, rounded up. ok is false for any other file.
func voice(data []byte) (seconds uint32, ok bool) {
	head, rest, ok := cutPage(data)
	const size = 19 // of the first packet: the name, version, channels, samples to skip, rate, gain, and mapping
	if !ok || !head.first || len(head.body) < size || !bytes.HasPrefix(head.body, []byte("OpusHead")) || head.body[8]>>4 != 0 {
		return 0, false
	}
	last := int64(0)
	for len(rest) > 0 {
		var p oggPage
		if p, rest, ok = cutPage(rest); !ok {
			break // the file ends here, or something else follows
		}
		if p.stream == head.stream {
			last = max(last, p.position)
		}
	}
	samples := last - int64(binary.LittleEndian.Uint16(head.body[10:]))
	if samples <= 0 || samples > maxVoice*opusRate {
		return 0, false
	}
	return uint32((samples + opusRate - 1) / opusRate), true
}
