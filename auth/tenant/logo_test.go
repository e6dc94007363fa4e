package tenant_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"slices"
	"testing"

	"example.com/griot/auth/tenant"
)

func encodePNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeJPEG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// claims returns a PNG whose header claims more pixels than it has.
func claims(t testing.TB, width, height uint32) []byte {
	t.Helper()
	b := encodePNG(t, 32, 32)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// scans returns a harmless JPEG of a size, with a comment that looks like n further scans.
func scans(t testing.TB, size, n int) []byte {
	t.Helper()
	b, comment := encodeJPEG(t, size, size), bytes.Repeat([]byte("\xff\xda"), n)
	return slices.Concat(b[:2], []byte{0xff, 0xfe, byte((len(comment) + 2) >> 8), byte(len(comment) + 2)}, comment, b[2:])
}

// grows returns a WebP of VP8L whose canvas is small, but whose picture claims 16,384 pixels on each side.
func grows() []byte {
	b := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x3f\x00\x00\x3f\x00\x00VP8L\x06\x00\x00\x00\x2f\xff\xff\xff\x0f\x00")
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// Rules: L198.
func TestCheckLogo(t *testing.T) {
	t.Parallel()
	picture, photo, webp := encodePNG(t, 120, 40), encodeJPEG(t, 40, 120), readFile(t, "testdata/logo.webp")
	html := []byte("<html><script>alert(1)</script>")
	for name, tt := range map[string]struct {
		file []byte
		err  error
	}{
		"PNG":                       {picture, nil},
		"JPEG":                      {photo, nil},
		"JPEG, progressive":         {readFile(t, "testdata/progressive.jpg"), nil},
		"JPEG, 31 scans more":       {scans(t, 512, 31), nil},
		"JPEG, 32 scans more":       {scans(t, 512, 32), tenant.ErrLogoWork},
		"a small JPEG, 2,000 scans": {scans(t, 64, 2000), nil},
		"WebP, lossy with alpha":    {webp, nil},
		"WebP, lossless":            {readFile(t, "testdata/lossless.webp"), nil},
		"the least":                 {encodePNG(t, 32, 32), nil},
		"the most":                  {encodeJPEG(t, 512, 512), nil},
		"nothing":                   {[]byte{}, tenant.ErrLogoKind},
		"text":                      {[]byte("logo"), tenant.ErrLogoKind},
		"SVG":                       {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><script>alert(1)</script></svg>`), tenant.ErrLogoKind},
		"HTML":                      {html, tenant.ErrLogoKind},
		"GIF":                       {[]byte("GIF89a\x40\x00\x40\x00\x00\x00\x00;"), tenant.ErrLogoKind},
		"HTML and then a PNG":       {append(bytes.Clone(html), picture...), tenant.ErrLogoKind},
		"PNG and then HTML":         {append(bytes.Clone(picture), html...), tenant.ErrLogoKind},
		"JPEG and then HTML":        {append(bytes.Clone(photo), html...), tenant.ErrLogoKind},
		"WebP and then HTML":        {append(bytes.Clone(webp), html...), tenant.ErrLogoKind},
		"PNG, truncated":            {picture[:len(picture)-20], tenant.ErrLogoKind},
		"PNG without its middle":    {append(bytes.Clone(picture[:40]), picture[len(picture)-12:]...), tenant.ErrLogoKind},
		"JPEG, truncated":           {photo[:len(photo)/2], tenant.ErrLogoKind},
		"WebP, truncated":           {webp[:len(webp)-1], tenant.ErrLogoKind},
		"WebP, its head":            {webp[:16], tenant.ErrLogoKind},
		"32 KiB and a byte":         {append(bytes.Clone(picture), make([]byte, tenant.MaxLogo+1-len(picture))...), tenant.ErrLogoSize},
		"a row too low":             {encodePNG(t, 64, 31), tenant.ErrLogoPixels},
		"a column too wide":         {encodePNG(t, 513, 64), tenant.ErrLogoPixels},
		"a claim of 2^31 pixels":    {claims(t, 1<<16, 1<<15), tenant.ErrLogoPixels},
		"a claim without pixels":    {claims(t, 500, 500), tenant.ErrLogoKind},
		"WebP in a smaller canvas":  {grows(), tenant.ErrLogoKind},
	} {
		if err := tenant.CheckLogo(tt.file); !errors.Is(err, tt.err) || err != nil && !errors.Is(err, tenant.ErrLogo) {
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		}
	}
}

// A file that claims many pixels uses no memory.
func TestCheckLogo_AClaimCostsNothing(t *testing.T) {
	for name, file := range map[string][]byte{"PNG": claims(t, 30_000, 30_000), "WebP": grows()} {
		got := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if tenant.CheckLogo(file) == nil {
					b.Fatal("no error")
				}
			}
		})
		if got.AllocedBytesPerOp() > 1<<20 {
			t.Errorf("%s: %d bytes of memory", name, got.AllocedBytesPerOp())
		}
	}
}

func FuzzCheckLogo(f *testing.F) {
	for _, file := range [][]byte{encodePNG(f, 32, 40), encodeJPEG(f, 40, 32), readFile(f, "testdata/logo.webp"), readFile(f, "testdata/lossless.webp"), readFile(f, "testdata/progressive.jpg"), scans(f, 512, 40), claims(f, 9999, 9999), grows(), []byte("<svg/>")} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		err := tenant.CheckLogo(file)
		if err != nil && !errors.Is(err, tenant.ErrLogo) {
			t.Error(err)
		}
		if typ := http.DetectContentType(file); err == nil && (len(file) > tenant.MaxLogo || !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, typ)) {
			t.Errorf("%d bytes are taken that browsers get as %s", len(file), typ)
		}
	})
}
