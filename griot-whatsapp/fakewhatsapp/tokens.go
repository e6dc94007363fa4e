package fakewhatsapp

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"

	"go.mau.fi/whatsmeow/appstate"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waServerSync"
	"go.mau.fi/whatsmeow/proto/waSyncAction"
	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/types"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"
)

// reachOut is the error of a message without a valid token.
const reachOut = 463

// Salt is what the devices of an account share to derive tokens, and the key that the phone has given them to read it.
type Salt struct {
	Salt       []byte
	KeyID, Key []byte
}

// SetSalt sets the salt of a phone number's account. Its devices can request it.
func (s *Server) SetSalt(phone string, salt Salt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[phone].salt = &salt
}

// NotifyTimelock tells the devices of a phone number that its account is restricted, or no longer.
func (s *Server) NotifyTimelock(phone string, t Timelock) {
	s.mu.Lock()
	devices := s.users[phone].connected()
	s.mu.Unlock()
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"xwa2_notify_account_reachout_timelock": t.state()}}) //nolint:errchkjson // it has only texts, numbers, and booleans
	for _, d := range devices {
		s.deliver(d, waBinary.Node{
			Tag: "notification", Attrs: waBinary.Attrs{"from": types.ServerJID, "type": "mex", "id": randomID(4), "t": unixNow()},
			Content: []waBinary.Node{{Tag: "update", Attrs: waBinary.Attrs{"op_name": "NotificationUserReachoutTimelockUpdate"}, Content: body}},
		})
	}
}

func (u *user) connected() (devices []*device) {
	for _, d := range u.devices {
		devices = append(devices, d)
	}
	return devices
}

// state returns the restriction as WhatsApp reports it.
func (t Timelock) state() map[string]any {
	state := map[string]any{"is_active": t.Active, "enforcement_type": "RESTRICT_ALL_COMPANIONS"}
	switch {
	case t.Until.IsZero():
	case t.Text:
		state["time_enforcement_ends"] = strconv.FormatInt(t.Until.Unix(), 10)
	default:
		state["time_enforcement_ends"] = t.Until.Unix()
	}
	return state
}

// mex responds to the query about the restriction of an account.
func (c *conn) mex(n *waBinary.Node) bool {
	c.s.mu.Lock()
	t := c.s.faults.Timelock
	c.s.mu.Unlock()
	if t == nil {
		return c.refuse(n, http.StatusNotFound)
	}
	body, _ := json.Marshal(map[string]any{"data": map[string]any{"xwa2_fetch_account_reachout_timelock": t.state()}}) //nolint:errchkjson // it has only texts, numbers, and booleans
	return c.result(n, waBinary.Node{Tag: "result", Content: body})
}

// admits reports whether a message from the device may be delivered to a person. The caller holds mu.
func (c *conn) admits(to types.JID, n *waBinary.Node) bool {
	u, _ := c.s.find(types.JID{User: to.User, Server: to.Server})
	if to.Server == types.GroupServer || u == nil || u == c.user {
		return true
	}
	valid := map[string][]byte{"tctoken": u.token}
	if c.user.salt != nil {
		mac := hmac.New(sha256.New, c.user.salt.Salt)
		mac.Write([]byte(u.lid + "@" + types.HiddenUserServer))
		valid["cstoken"] = mac.Sum(nil)
	}
	for tag, want := range valid {
		token, ok := n.GetOptionalChildByTag(tag)
		if got, _ := token.Content.([]byte); ok && bytes.Equal(got, want) {
			return true
		}
	}
	return false
}

// issue gives a token of the device's account to other people.
func (c *conn) issue(n *waBinary.Node) bool {
	s := c.s
	var answer []waBinary.Node
	for _, asked := range children(n, "tokens") {
		to, _ := asked.Attrs["jid"].(types.JID)
		s.mu.Lock()
		u, _ := s.find(types.JID{User: to.User, Server: to.Server})
		faults := s.faults
		var devices []*device
		if u != nil && faults.NeedTokens == u.phone && !faults.LoseTokens {
			devices = u.connected()
		}
		s.mu.Unlock()
		token := func(of *user) waBinary.Node {
			return waBinary.Node{Tag: "token", Attrs: waBinary.Attrs{"jid": to, "t": unixNow(), "type": "trusted_contact"}, Content: of.token}
		}
		for _, d := range devices {
			s.deliver(d, waBinary.Node{
				Tag: "notification", Attrs: waBinary.Attrs{"from": c.user.number(), "sender_lid": c.user.id(), "type": "privacy_token", "id": randomID(4), "t": unixNow()},
				Content: []waBinary.Node{{Tag: "tokens", Content: []waBinary.Node{token(c.user)}}},
			})
		}
		if u != nil && faults.GiveTokens {
			answer = append(answer, token(u))
		}
	}
	if answer == nil {
		return c.result(n)
	}
	return c.result(n, waBinary.Node{Tag: "tokens", Content: answer})
}

// appState returns the account's settings that its devices share: the salt.
func (c *conn) appState(n *waBinary.Node) bool {
	collection, _ := n.GetOptionalChildByTag("sync", "collection")
	c.s.mu.Lock()
	salt := c.user.salt
	c.s.mu.Unlock()
	if salt == nil || collection.Attrs["name"] != string(appstate.WAPatchRegularHigh) {
		return c.result(n)
	}
	patch, err := salt.patch()
	if err != nil {
		return c.refuse(n, http.StatusInternalServerError)
	}
	return c.result(n, waBinary.Node{Tag: "sync", Content: []waBinary.Node{{
		Tag: "collection", Attrs: waBinary.Attrs{"name": string(appstate.WAPatchRegularHigh), "version": 1},
		Content: []waBinary.Node{{Tag: "patches", Content: []waBinary.Node{{Tag: "patch", Content: patch}}}},
	}}})
}

// saltKeys has the key of a salt.
type saltKeys struct {
	store.NoopStore
	key []byte
}

// GetAppStateSyncKey implements [store.AppStateSyncKeyStore].
func (k *saltKeys) GetAppStateSyncKey(context.Context, []byte) (*store.AppStateSyncKey, error) {
	return &store.AppStateSyncKey{Data: k.key}, nil
}

// patch returns the first change of the account's settings, which sets the salt.
func (s *Salt) patch() ([]byte, error) {
	encoded, err := appstate.NewProcessor(&store.Device{AppStateKeys: &saltKeys{key: s.Key}, AppState: &store.NoopStore{}}, waLog.Noop).EncodePatch(context.Background(), s.KeyID, appstate.HashState{}, appstate.PatchInfo{
		Type: appstate.WAPatchRegularHigh,
		Mutations: []appstate.MutationInfo{{Index: []string{appstate.IndexNCTSaltSync}, Version: 1, Value: &waSyncAction.SyncActionValue{
			NctSaltSyncAction: &waSyncAction.NctSaltSyncAction{Salt: s.Salt},
		}}},
	})
	if err != nil {
		return nil, err
	}
	var patch waServerSync.SyncdPatch
	if err := proto.Unmarshal(encoded, &patch); err != nil {
		return nil, err
	}
	patch.Version = &waServerSync.SyncdVersion{Version: proto.Uint64(1)}
	return proto.Marshal(&patch)
}
