package operator

import messagingadmin "example.com/griot/messaging/admin"

// deleteAccount closes an account, whose data is erased later.
func (p *Pages) deleteAccount(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	if in.Get("confirm") != "yes" {
		return v.leave(accountPath(id)+"#delete", once{wrong: "operator.confirm.missing"})
	}
	return act(v, accountPath(id), "accounts.delete", messagingadmin.AccountDeletion{Account: id, Now: in.Get("now") == "yes"}, done("operator.done.account_deleted"))
}

func (p *Pages) reopenAccount(v *visit) error {
	id := v.r.PathValue("id")
	return act(v, accountPath(id), "accounts.reopen", messagingadmin.OfAccount{Account: id}, done("operator.done.account_reopened"))
}
