package api

import (
	"net/http"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

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

// listProjects handles GET /api/projects.
func (a *API) listProjects(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
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

// createProject handles POST /api/projects.
func (a *API) createProject(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in projectBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	p, err := a.o.Directory.CreateProjectFor(r.Context(), c, "", in.Name)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, projectAnswer{true, projectOf(p)})
}

// renameProject handles PATCH /api/projects/:id. For a developer, the projects of others do not exist.
func (a *API) renameProject(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in projectBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	if err := a.o.Directory.RenameProjectFor(r.Context(), c, r.PathValue("id"), in.Name); err != nil {
		return err
	}
	projects, err := a.o.Directory.ProjectsFor(r.Context(), c)
	for i := range projects {
		if p := &projects[i]; p.ID == r.PathValue("id") {
			return httpx.WriteJSON(w, http.StatusOK, projectAnswer{true, projectOf(p)})
		}
	}
	if err == nil {
		err = apierror.ProjectNotFound.Err()
	}
	return err
}

// deleteProject handles DELETE /api/projects/:id. The project's messages stay, and its keys are revoked.
func (a *API) deleteProject(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	revoked, err := a.o.Directory.DeleteProjectFor(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, removedAnswer{true, revoked})
}
