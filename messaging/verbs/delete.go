package verbs

import (
	"context"
	"errors"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
)

// ProjectName is the input of projects.rename.
type ProjectName struct {
	OfAccount

	ID   string `json:"id" arg:"PROJECT" help:"project ID from griot admin projects list"`
	Name string `json:"name" flag:"name,required" help:"displayed name"`
}

func (h *service) renameProject(ctx context.Context, a *account.Account, in *ProjectName) (Project, error) {
	name, err := named("A project", in.Name)
	if err != nil {
		return Project{}, err
	}
	found, err := h.Directory.RenameProject(ctx, a.ID, "", in.ID, name)
	if err == nil && !found {
		err = noProject()
	}
	return Project{ID: in.ID, Name: name}, err
}

func (h *service) deleteProject(ctx context.Context, a *account.Account, in *InAccount) (Removed, error) {
	revoked, found, err := h.Directory.DeleteProject(ctx, a.ID, "", in.ID)
	if err == nil && !found {
		err = noProject()
	}
	return Removed{ID: in.ID, RevokedKeys: revoked}, err
}

func noProject() error { return verb.Refuse("The account doesn't have this project.") }

// AccountDeletion is the input of accounts.delete.
type AccountDeletion struct {
	OneAccount

	Now bool `json:"now" flag:"now" help:"erase the account within the hour; you can't reopen it"` // erase the account as soon as possible; it cannot be reopened
}

// deleteAccount closes an account, like its owner. Its data is erased when it can no longer be reopened.
func (h *service) deleteAccount(ctx context.Context, a *account.Account, in *AccountDeletion) (Account, error) {
	if !a.Closed() {
		err := h.Closing.CloseByOperator(ctx, a)
		if errors.Is(err, apierror.SubscriptionActive.Err()) {
			err = verb.Refuse("The account has a subscription that renews. Cancel it at the payment provider first, or it will continue to be charged.")
		}
		if err != nil {
			return Account{}, err
		}
	}
	if in.Now {
		if err := h.Directory.EraseSoon(ctx, a.ID); err != nil {
			return Account{}, err
		}
	}
	return h.changedAccount(ctx, a.ID, nil)
}
