package cloudapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
)

const (
	groupSuffix = "@g.us" // of our API's group ids; the Cloud API's have none
	maxPages    = 20
	pageSize    = "100"
)

// Groups implements [gateway.GroupLister]. The API lists only groups that were created with it, which our number
// administers.
func (s *sender) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	number, ok := s.settings.byNumber[strings.TrimPrefix(from, "+")]
	if !ok {
		return nil, &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown"}
	}
	var groups []gateway.Group
	query := url.Values{"limit": {pageSize}, "fields": {"id,subject,total_participant_count"}}
	for range maxPages {
		page, after, err := s.groupsPage(ctx, number, query)
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

func (s *sender) groupsPage(ctx context.Context, number string, query url.Values) (page []gateway.Group, after string, err error) {
	answer, failure := s.Call(ctx, s.request(http.MethodGet, number+"/groups?"+query.Encode(), "", nil), answerError)
	if failure != nil {
		return nil, "", failure
	}
	type group struct {
		ID           string `json:"id"`
		Subject      string `json:"subject"`
		Participants int    `json:"total_participant_count"`
	}
	var body struct {
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
	if json.Unmarshal(answer.Body, &body) != nil {
		return nil, "", &gateway.Error{Class: gateway.Temporary, Code: "answer_unreadable"}
	}
	for _, g := range body.Data.Groups {
		if g.ID != "" {
			page = append(page, gateway.Group{
				ID: httpcall.Text(g.ID) + groupSuffix, Name: httpcall.Text(g.Subject), Participants: g.Participants, IsAdmin: true,
			})
		}
	}
	if body.Paging.Next == "" {
		return page, "", nil
	}
	return page, body.Paging.Cursors.After, nil
}
