package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/stats"
	"example.com/griot/web"
)

const projectsPath = "/dashboard/projects"

func (d *Dashboard) projectsRoutes() []httpx.Route {
	return []httpx.Route{
		d.member("GET", projectsPath, account.MayChangeProjects, d.projects),
		d.form(projectsPath, account.MayChangeProjects, d.createProject),
		d.member("GET", projectsPath+"/{id}", account.MayChangeProjects, d.project),
		d.form(projectsPath+"/{id}", account.MayChangeProjects, d.renameProject),
		d.member("POST", projectsPath+"/{id}/delete", account.MayDeleteProjects, d.deleteProject),
	}
}

// The pages of projects.
const (
	pageProjects = "dashboard_projects" // projectList
	pageProject  = "dashboard_project"  // projectDetails
)

// projectList is the page of an account's projects. A developer sees their own.
type projectList struct {
	Tabs  web.Tabs
	ID    string    // of the form; each form creates only one project, even if it is sent repeatedly
	Name  web.Field // for a new project
	Rows  []projectRow
	Wrong string
	Empty *web.Empty
}

type projectRow struct {
	URL, Name, LogsURL string
	Keys               string // number of valid keys
	CreatedAt          time.Time
}

// projectDetails is the page of a project with the statistics of its messages.
type projectDetails struct {
	projectRow
	ID        string
	Field     web.Field
	Stats     []web.Stat
	About     string
	KeyRows   []keyRow // the valid keys that the caller can see
	NewKeyURL string
	Revokes   string // the keys that are revoked with the project
	Wrong     string
}

// projects handles GET /dashboard/projects.
func (d *Dashboard) projects(v *visit) error {
	return d.showProjects(v, http.StatusOK, id.New(d.o.Now()), "", nil)
}

// showProjects shows the projects, and the form for a new one with its values.
func (d *Dashboard) showProjects(v *visit, status int, formID, name string, wrong *apierror.Error) error {
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	count, err := d.workingKeys(v)
	if err != nil {
		return err
	}
	page := &projectList{Tabs: keyTabs(v, projectsPath), ID: formID, Name: projectName(v, name)}
	for i := range projects {
		page.Rows = append(page.Rows, rowOfProject(v, &projects[i], count))
	}
	if len(projects) == 0 {
		page.Empty = &web.Empty{Icon: "document", Title: v.lang.T("dashboard.projects.none"), Text: v.lang.T("dashboard.projects.none_text")}
	}
	if wrong != nil {
		httpx.SetRetryAfter(v.w.Header(), wrong.RetryAfter)
		blame(wrong, explain(v.lang, wrong), map[string]*string{"name": &page.Name.Wrong}, &page.Wrong)
	}
	v.bothModes = true
	return d.serve(v, status, pageProjects, keysPath, page)
}

// withoutProject reports whether the caller is a developer who has no project yet, and so has no messages or keys.
func (d *Dashboard) withoutProject(v *visit) (bool, error) {
	if !v.caller.OwnProjectsOnly() {
		return false, nil
	}
	projects, err := d.ownProjects(v.r.Context(), v.caller)
	return len(projects) == 0, err
}

// firstProject tells a developer without a project what to do.
func firstProject(v *visit) *web.Empty {
	return &web.Empty{Icon: "document", Title: v.lang.T("dashboard.projects.none"), Text: v.lang.T("dashboard.projects.first_text"), ActionURL: v.url(projectsPath) + "#new-project", Action: v.lang.T("dashboard.projects.first")}
}

func projectName(v *visit, value string) web.Field {
	return web.Field{ID: "name", Name: "name", Label: v.lang.T("dashboard.projects.name"), Value: value, Required: true}
}

// workingKeys returns the number of valid keys of each project, from all creators.
func (d *Dashboard) workingKeys(v *visit) (map[string]int64, error) {
	keys, err := d.o.Directory.Keys(v.r.Context(), v.caller.Account.ID, "")
	count := map[string]int64{}
	for i := range keys {
		if k := &keys[i]; k.ProjectID != "" && k.Works(d.o.Now()) {
			count[k.ProjectID]++
		}
	}
	return count, err
}

func rowOfProject(v *visit, p *account.Project, keys map[string]int64) projectRow {
	return projectRow{URL: projectURL(p.ID), Name: p.Name, LogsURL: v.logsOfProject(p.ID), Keys: number(v.lang, keys[p.ID]), CreatedAt: p.CreatedAt}
}

func projectURL(id string) string { return projectsPath + "/" + url.PathEscape(id) }

// logsOfProject returns the address of the log of a project's messages.
func (v *visit) logsOfProject(id string) string {
	return v.placeInLogs(url.Values{"project": {id}})("")
}

// createProject handles POST /dashboard/projects.
func (d *Dashboard) createProject(v *visit, form url.Values) error {
	projectID := d.formOf(v.r, form).ID
	_, err := d.o.Directory.CreateProjectFor(v.r.Context(), v.caller, projectID, form.Get("name"))
	if e, ok := refusal(err); ok {
		return d.showProjects(v, e.Kind.Status, projectID, form.Get("name"), e)
	}
	if err != nil && !errors.Is(err, account.ErrProjectMade) { // a form that is sent twice causes this error
		return err
	}
	return v.see(projectURL(projectID) + "?done=project_created")
}

// project handles GET /dashboard/projects/:id.
func (d *Dashboard) project(v *visit) error {
	return d.showProject(v, http.StatusOK, nil, nil)
}

// showProject shows a project, and the form for its name with its values. The error is the same for missing projects
// and those of others.
func (d *Dashboard) showProject(v *visit, status int, name *string, wrong *apierror.Error) error {
	projects, err := d.o.Directory.ProjectsFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	for i := range projects {
		if projects[i].ID == v.r.PathValue("id") {
			return d.showFoundProject(v, status, &projects[i], name, wrong)
		}
	}
	return apierror.ProjectNotFound.Err()
}

func (d *Dashboard) showFoundProject(v *visit, status int, p *account.Project, name *string, wrong *apierror.Error) error {
	count, err := d.workingKeys(v)
	if err != nil {
		return err
	}
	page := &projectDetails{
		projectRow: rowOfProject(v, p, count), ID: p.ID, Field: projectName(v, p.Name),
		NewKeyURL: newKeyPath + "?" + url.Values{"kind": {string(account.ProjectKey)}, "projectId": {p.ID}}.Encode(),
		Revokes:   v.lang.T("dashboard.projects.revokes", number(v.lang, count[p.ID])),
	}
	if name != nil {
		page.Field.Value = *name
	}
	if wrong != nil {
		page.Field.Wrong = explain(v.lang, wrong)
	}
	if err := d.addProjectStats(v, page); err != nil {
		return err
	}
	keys, err := d.o.Directory.KeysFor(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	for i := range keys {
		if k := &keys[i]; k.ProjectID == p.ID && k.Works(d.o.Now()) {
			page.KeyRows = append(page.KeyRows, rowOfKey(v.lang, k, nil, d.o.Now()))
		}
	}
	v.bothModes = true
	return d.serve(v, status, pageProject, keysPath, page)
}

// addProjectStats adds statistics of the project's messages of the last days.
func (d *Dashboard) addProjectStats(v *visit, page *projectDetails) error {
	now := d.o.Now()
	series, err := d.o.Stats.Series(v.r.Context(), v.caller, &stats.SeriesQuery{
		ProjectID: page.ID, From: v.startOfDay(now, 1-days), To: now.Add(time.Millisecond), Step: stats.StepDay, Zone: v.zone(),
	})
	if err != nil {
		return err
	}
	total := 0
	for i := range series.Buckets {
		total += series.Buckets[i].Total
	}
	o := &overview{}
	o.add(v, series)
	page.About = o.About
	page.Stats = append([]web.Stat{{Label: v.lang.T("dashboard.projects.messages"), Value: number(v.lang, int64(total))}}, o.Stats...)
	return nil
}

// renameProject handles POST /dashboard/projects/:id.
func (d *Dashboard) renameProject(v *visit, form url.Values) error {
	name, id := form.Get("name"), v.r.PathValue("id")
	err := d.o.Directory.RenameProjectFor(v.r.Context(), v.caller, id, name)
	if e, ok := refusal(err); ok && e.Kind == apierror.InvalidRequest {
		return d.showProject(v, e.Kind.Status, &name, e)
	}
	if err != nil {
		return err
	}
	return v.see(projectURL(id) + "?done=project_renamed")
}

// deleteProject handles POST /dashboard/projects/:id/delete. The project's messages stay, and its keys are revoked.
func (d *Dashboard) deleteProject(v *visit) error {
	_, err := d.o.Directory.DeleteProjectFor(v.r.Context(), v.caller, v.r.PathValue("id"))
	return v.seeAfter(err, projectsPath+"?done=project_deleted")
}
