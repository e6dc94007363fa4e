package tenant

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the formats in logoEnds
	_ "image/png"
	"sync"

	_ "golang.org/x/image/webp"

	"example.com/griot/internal/db"
)

// Limits of a logo.
const (
	MaxLogo       = 32 << 10 // bytes
	MinLogoPixels = 32       // of each side
	MaxLogoPixels = 512
	maxLogoWork   = 32 * MaxLogoPixels * MaxLogoPixels // pixels of all passes over a picture
)

// The refusals of a file, each of which wraps ErrLogo.
var (
	ErrLogo       = errors.New("tenant: the file can't be a logo")
	ErrLogoSize   = fmt.Errorf("%w: it has more than 32 KiB", ErrLogo)
	ErrLogoKind   = fmt.Errorf("%w: it is no whole PNG, JPEG, or WebP picture", ErrLogo)
	ErrLogoPixels = fmt.Errorf("%w: each side has 32 to 512 pixels", ErrLogo)
	ErrLogoWork   = fmt.Errorf("%w: it is stored in too many passes", ErrLogo)
)

// logoEnds are the picture formats of a logo, with the last bytes of each. Any bytes after them could be a file of
// another format. A WebP file contains its length.
var logoEnds = map[string]string{"png": "\x00\x00\x00\x00IEND\xae\x42\x60\x82", "jpeg": "\xff\xd9", "webp": ""}

// decoding lets the process decode one picture at a time, so that pictures never take more than one processor.
var decoding sync.Mutex

// CheckLogo checks a file. It detects the format from the content. It decodes the pixels only if there are few, also
// counting each pass over them. It is safe for concurrent use, and decodes one picture at a time.
//
// Errors: [ErrLogoSize], [ErrLogoKind], [ErrLogoPixels], [ErrLogoWork].
func CheckLogo(file []byte) error {
	if len(file) > MaxLogo {
		return ErrLogoSize
	}
	config, kind, err := image.DecodeConfig(bytes.NewReader(file))
	end, ok := logoEnds[kind]
	if err != nil || !ok || !bytes.HasSuffix(file, []byte(end)) || kind == "webp" && uint64(len(file)) != 8+uint64(binary.LittleEndian.Uint32(file[4:])) {
		return ErrLogoKind
	}
	if min(config.Width, config.Height) < MinLogoPixels || max(config.Width, config.Height) > MaxLogoPixels {
		return ErrLogoPixels
	}
	if config.Width*config.Height*passes(kind, file) > maxLogoWork {
		return ErrLogoWork
	}
	decoding.Lock()
	defer decoding.Unlock()
	if _, _, err := image.Decode(bytes.NewReader(file)); err != nil {
		return ErrLogoKind
	}
	return nil
}

// passes returns the maximum number of times that decoding a file visits each pixel. A scan of a progressive JPEG can
// visit all pixels for a few bytes of the file. A marker never occurs within the data of a scan, so counting its two
// bytes finds each scan, and sometimes more, such as that of a thumbnail. The other formats need bytes for each row, or
// have one picture.
func passes(kind string, file []byte) int {
	if kind == "jpeg" {
		return bytes.Count(file, []byte("\xff\xda"))
	}
	return 1
}

// Logo returns the logo that an [Appearance] names; found is false if no tenant has it.
func (s *Store) Logo(ctx context.Context, hash string) (file []byte, found bool, err error) {
	var content string
	found, err = s.db.Read(ctx).Row(`SELECT l.content FROM tenants t JOIN tenant_logos l ON l.tenant_id = t.id WHERE t.logo = $1 AND t.logo <> '' LIMIT 1`, hash).Scan(&content)
	if err == nil {
		file, err = base64.RawURLEncoding.DecodeString(content)
	}
	return file, found, err
}

// replaceLogo replaces a tenant's logo; nil removes it.
func replaceLogo(tx *db.Tx, tenantID string, file []byte) error {
	_, err := tx.Exec(`DELETE FROM tenant_logos WHERE tenant_id = $1`, tenantID)
	if err == nil && file != nil {
		_, err = tx.Exec(`INSERT INTO tenant_logos (tenant_id, content) VALUES ($1, $2)`, tenantID, base64.RawURLEncoding.EncodeToString(file))
	}
	return err
}
