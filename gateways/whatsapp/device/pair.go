package device

import (
	"context"
	"errors"
	"net/http"

	"go.mau.fi/whatsmeow"
	wastore "go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// Why a pairing fails.
var (
	ErrOtherNumber = errors.New("the phone that has scanned the code has another number: it was refused, and nothing was stored")
	ErrPasskey     = errors.New("WhatsApp wants this account's passkey to link a device, which only WhatsApp's own applications can give: " +
		"this number can't be linked here now (turn the passkey off in the phone's WhatsApp settings and try again, or use the Cloud API)")
	ErrPairTimeout  = errors.New("nobody has scanned the code in time")
	ErrPairOutdated = errors.New("WhatsApp refuses this version of griot-whatsapp: install a newer one")
)

// PairConfig is what a pairing needs.
type PairConfig struct {
	Store  *wastore.Device // a new one
	Number string          // the number that is expected
	Code   bool            // by a code that is typed on the phone, instead of a QR code
	HTTP   *http.Client
	// ShowQR and ShowCode show what is to be scanned, or typed.
	ShowQR   func(text string)
	ShowCode func(code string)
}

// Pair links a new device to the number's phone, and returns once WhatsApp has its keys. It leaves no connection behind.
func Pair(ctx context.Context, c PairConfig) (jid string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	client := newClient(c.Store, c.HTTP)
	defer client.Disconnect()
	client.PrePairCallback = func(jid types.JID, _, _ string) bool { return jid.User == c.Number }
	online := make(chan struct{}, 1)
	client.AddEventHandler(func(event any) {
		if _, ok := event.(*events.Connected); ok {
			select {
			case online <- struct{}{}:
			default:
			}
		}
	})
	items, err := client.GetQRChannel(ctx)
	if err != nil {
		return "", err
	}
	if err := client.ConnectContext(ctx); err != nil {
		return "", errors.New("WhatsApp can't be reached")
	}
	asked := false
	for {
		select {
		case item, ok := <-items:
			switch {
			case !ok:
				return "", ErrPairTimeout
			case item.Event == whatsmeow.QRChannelEventCode && c.Code:
				if asked {
					continue // the code holds for as long as the connection
				}
				asked = true
				code, err := client.PairPhone(ctx, c.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
				if err != nil {
					return "", errors.New("WhatsApp gives no code for this number")
				}
				c.ShowCode(code)
			case item.Event == whatsmeow.QRChannelEventCode:
				c.ShowQR(item.Code)
			case item.Event == whatsmeow.QRChannelEventPasskeyRequest:
				return "", ErrPasskey
			case item.Event == whatsmeow.QRChannelSuccess.Event:
				return finish(ctx, client, online)
			case item.Event == whatsmeow.QRChannelClientOutdated.Event:
				return "", ErrPairOutdated
			case item.Event == whatsmeow.QRChannelTimeout.Event:
				return "", ErrPairTimeout
			case errors.Is(item.Error, whatsmeow.ErrPairRejectedLocally):
				return "", ErrOtherNumber
			default:
				return "", errors.New("WhatsApp has refused the pairing")
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// finish waits for the first login, in which whatsmeow uploads the keys that others need to write to the device.
func finish(ctx context.Context, client *whatsmeow.Client, online <-chan struct{}) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	select {
	case <-online:
		return client.Store.ID.String(), nil
	case <-ctx.Done():
		return "", errors.Join(errors.New("the device was linked, but its first login failed: unlink it on the phone and try again"), client.Store.Delete(context.WithoutCancel(ctx)))
	}
}
