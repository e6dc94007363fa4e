package browsertest

import (
	"flag"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// screenshots is the directory for screenshots of pages. If it is empty, none is taken.
var screenshots = flag.String("screenshots", "", "a folder for pictures of the pages")

// Screenshot writes a PNG of the whole page if screenshots are enabled.
func (b *Tab) Screenshot(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	picture, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name+".png"), picture, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
