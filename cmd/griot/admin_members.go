package main

import (
	"io"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	messagingadmin "example.com/griot/messaging/admin"
)

func adminProjects(o *adminOptions) *cobra.Command {
	return group("projects", "Projects of an account, each with keys of its own", projectsCreate(o), projectsList(o), projectsRename(o), projectsDelete(o))
}

func showProjects(w io.Writer, projects []messagingadmin.Project) {
	console.Row(w, "PROJECT", "NAME", "CREATED")
	for _, p := range projects {
		console.Row(w, p.ID, p.Name, p.CreatedAt)
	}
}

func projectsCreate(o *adminOptions) *cobra.Command {
	in := messagingadmin.ProjectInput{}
	c := &cobra.Command{
		Use: "create --account ACCOUNT --name NAME", Short: "Make a project", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "projects.create", in, func(w io.Writer, p messagingadmin.Project) { showProjects(w, []messagingadmin.Project{p}) })
		},
	}
	accountFlag(c, &in.Account, "whose project")
	c.Flags().StringVar(&in.Name, "name", "", "as people read it")
	required(c, "name")
	return c
}

func projectsList(o *adminOptions) *cobra.Command {
	in := messagingadmin.OfAccount{}
	c := &cobra.Command{
		Use: "list --account ACCOUNT", Short: "List an account's projects", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runVerb(c, o, "projects.list", in, showProjects) },
	}
	accountFlag(c, &in.Account, "whose projects")
	return c
}

func adminMembers(o *adminOptions) *cobra.Command {
	return group("members", "Developers who work on an account", membersInvite(o), membersList(o), membersRemove(o))
}

func membersInvite(o *adminOptions) *cobra.Command {
	in := messagingadmin.InviteInput{}
	c := &cobra.Command{
		Use: "invite --account ACCOUNT --email ADDRESS", Short: "Invite somebody by e-mail; the link is printed when no e-mail can be sent", Args: cobra.NoArgs,
		Long: "Invite somebody by e-mail, for seven days; the link is printed when no e-mail can be sent.\n\n" +
			"A developer works on projects: their logs and statistics, keys of them, simulated messages.\n" +
			"A viewer reads: all logs without the texts of conversations, and statistics; and changes nothing.\n" +
			"The owner, whose address is the account's, may do everything. docs/team.md has the whole.",
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "members.invite", in, func(w io.Writer, i messagingadmin.Invited) {
				console.Row(w, "invitation", i.ID)
				console.Row(w, "email", i.Email)
				console.Row(w, "expires", i.ExpiresAt)
				console.Row(w, "letter", i.MailStatus)
				if i.Link != "" {
					console.Row(w, "link", i.Link+"  (shown only now: for them, and nobody else)")
				}
			})
		},
	}
	accountFlag(c, &in.Account, "to which account")
	c.Flags().StringVar(&in.Email, "email", "", "whom")
	c.Flags().StringVar(&in.Role, "role", "developer", "developer, or viewer: logs and statistics, to read")
	c.Flags().StringArrayVar(&in.Projects, "project", nil, "a project of the developer, by its id; repeat it for more. Without it, those that there are when the invitation is accepted")
	c.Flags().StringVar(&in.Lang, "lang", "fr", "the e-mail's language: fr or en")
	required(c, "email")
	return c
}

func membersList(o *adminOptions) *cobra.Command {
	in := messagingadmin.OfAccount{}
	c := &cobra.Command{
		Use: "list --account ACCOUNT", Short: "List an account's members, and who is invited", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return runVerb(c, o, "members.list", in, func(w io.Writer, members []messagingadmin.Member) {
				console.Row(w, "MEMBER", "EMAIL", "ROLE", "JOINED", "INVITED UNTIL")
				for _, m := range members {
					console.Row(w, m.ID, m.Email, m.Role, optionalTime(m.JoinedAt), optionalTime(m.ExpiresAt))
				}
			})
		},
	}
	accountFlag(c, &in.Account, "whose members")
	return c
}

func membersRemove(o *adminOptions) *cobra.Command {
	in := messagingadmin.InAccount{}
	c := &cobra.Command{
		Use: "remove --account ACCOUNT MEMBER", Short: "Remove a member, the project keys that they made and their sessions; or take an invitation back", Args: exactlyOne("MEMBER: an id, as list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			in.ID = args[0]
			return runVerb(c, o, "members.remove", in, func(w io.Writer, r messagingadmin.Removed) {
				console.Row(w, "removed", r.ID)
				console.Row(w, "keys revoked", r.RevokedKeys)
			})
		},
	}
	accountFlag(c, &in.Account, "whose member")
	return c
}
