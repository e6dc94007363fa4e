package cloudapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

const (
	groupSuffix = "@g.us" // as document 2 writes the ids of groups; the API's own are bare
	mostPages   = 20
	groupPage   = "100"
)

// Groups implements [gateway.GroupLister]. The API knows only groups that it made itself, so that
// our number administers each of them.
func (s *sender) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	number, ok := s.settings.byNumber[strings.TrimPrefix(from, "+")]
	if !ok {
		return nil, &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown"}
	}
	var groups []gateway.Group
	query := url.Values{"limit": {groupPage}, "fields": {"id,subject,total_participant_count"}}
	for range mostPages {
		page, after, err := s.groups(ctx, number, query)
		if err != nil {
			return nil, err
		}
		groups = append(groups, page...)
		if after == "" {
			break
		}
		query.Set("after", after)
	}
	return groups, nil
}

func (s *sender) groups(ctx context.Context, number string, query url.Values) (page []gateway.Group, after string, err error) {
	answer, failure := s.Do(ctx, s.request(http.MethodGet, number+"/groups?"+query.Encode(), "", nil))
	if failure == nil {
		failure = refused(answer)
	}
	if failure != nil {
		return nil, "", failure
	}
	type group struct {
		ID           string `json:"id"`
		Subject      string `json:"subject"`
		Participants int    `json:"total_participant_count"`
	}
	var listed struct {
		Data struct {
			Groups []group `json:"groups"`
		} `json:"data"`
		Paging struct {
			Cursors struct {
				After string `json:"after"`
			} `json:"cursors"`
			Next string `json:"next"`
		} `json:"paging"`
	}
	if json.Unmarshal(answer.Body, &listed) != nil {
		return nil, "", &gateway.Error{Class: gateway.Temporary, Code: "answer_unreadable"}
	}
	for _, g := range listed.Data.Groups {
		if g.ID != "" {
			page = append(page, gateway.Group{
				ID: httpcall.Text(g.ID) + groupSuffix, Name: httpcall.Text(g.Subject), Participants: g.Participants, IsAdmin: true,
			})
		}
	}
	if listed.Paging.Next == "" {
		return page, "", nil
	}
	return page, listed.Paging.Cursors.After, nil
}
