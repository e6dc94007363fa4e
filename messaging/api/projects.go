package api

import (
	"errors"
	"net/http"
	"strings"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
)

const maxName = 100 // characters

type projectItem struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt"`
}

type projectsAnswer struct {
	Success  bool          `json:"success"`
	Projects []projectItem `json:"projects"`
}

type projectAnswer struct {
	Success bool        `json:"success"`
	Project projectItem `json:"project"`
}

func projectOf(p *account.Project) projectItem {
	return projectItem{p.ID, p.Name, formatTime(p.CreatedAt)}
}

// listProjects: GET /api/projects.
func (a *API) listProjects(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	projects, err := a.o.Directory.ProjectsFor(r.Context(), c)
	if err != nil {
		return err
	}
	out := projectsAnswer{Success: true, Projects: []projectItem{}}
	for i := range projects {
		out.Projects = append(out.Projects, projectOf(&projects[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type projectBody struct {
	Name string `json:"name"`
}

// createProject: POST /api/projects.
func (a *API) createProject(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	var in projectBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	p, err := a.CreateProject(r.Context(), c, in.Name)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, projectAnswer{true, projectOf(p)})
}

// checkName returns a name without the spaces around it.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !visible.Name(name, maxName) {
		return "", fault.InvalidRequest.On("name").Detailf("name has 1 to %d characters, all of them visible.", maxName)
	}
	return name, nil
}

// checkAccountName is [checkName] for an account, whose name stands in mails to others.
func checkAccountName(name string) (string, error) {
	name, err := checkName(name)
	if err == nil && visible.HasAddress(name) {
		return "", fault.InvalidRequest.On("name").Detailf("An account's name has no address of a page: no ://, www. or path.")
	}
	return name, err
}

// renameProject: PATCH /api/projects/:id. To a developer the projects of others do not exist.
func (a *API) renameProject(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	var in projectBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if err := a.RenameProject(r.Context(), c, r.PathValue("id"), in.Name); err != nil {
		return err
	}
	projects, err := a.o.Directory.ProjectsFor(r.Context(), c)
	for i := range projects {
		if p := &projects[i]; p.ID == r.PathValue("id") {
			return httpx.WriteJSON(w, http.StatusOK, projectAnswer{true, projectOf(p)})
		}
	}
	if err == nil {
		err = fault.ProjectNotFound.Err()
	}
	return err
}

// deleteProject: DELETE /api/projects/:id. Its messages stay, and its keys are revoked.
func (a *API) deleteProject(w http.ResponseWriter, r *http.Request) error {
	c, err := a.session(w, r)
	if err != nil {
		return err
	}
	revoked, found, err := a.o.Directory.DeleteProject(r.Context(), c.Account.ID, c.MemberID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if !found {
		return fault.ProjectNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusOK, removedAnswer{true, revoked})
}

// refused says why the directory has not done something.
func refused(err error) error {
	for _, line := range []struct {
		err error
		as  *fault.Error
	}{
		{account.ErrTooMany, fault.TooManyItems.Err()},
		{account.ErrNoProject, fault.ProjectNotFound.On("projectId")},
		{account.ErrKeyKind, fault.InvalidRequest.On("projectId").Detailf("A project key, and no other, has a projectId.")},
		{account.ErrClosed, fault.AccountClosed.Err()},
		{account.ErrNoMember, fault.MemberNotFound.Err()},
		{account.ErrNoKey, fault.KeyNotFound.Err()},
		{account.ErrKeyInactive, fault.KeyInactive.Err()},
		{account.ErrAlreadyMember, fault.AlreadyMember.On("email")},
		{account.ErrNoInvitation, fault.InvitationNotFound.On("token")},
		{account.ErrInvitationUsed, fault.InvitationUsed.On("token")},
		{account.ErrInvitationExpired, fault.InvitationExpired.On("token")},
		{account.ErrInvitationForeign, fault.InvitationForeign.On("token")},
	} {
		if errors.Is(err, line.err) {
			return line.as
		}
	}
	return err
}
