"""Signing in by name and password, invitations, and links for those who forgot their password."""

from __future__ import annotations

from starlette.requests import Request

from rankproof.judging.records import ROLES, Account, Role
from rankproof.judging.store.invitations import Invitation
from rankproof.judging.store.store import Store
from rankproof.web.context import AppContext, stamp
from rankproof.web.problems import Problem
from rankproof.web.security.common_passwords import refuse_common
from rankproof.web.security.credentials import digest, is_token, new_token, read_name

_WRONG = "The name or the password is wrong."


def check_password(context: AppContext, name: str, password: str, address: str) -> Account:
    """The account of a name and its password; takes as long for a name that nobody has."""
    name = name.strip().lower()[:200]
    context.throttle.enter(name, address)
    right = context.passwords.matches(context.store.accounts.password(name), password)
    account = context.store.accounts.get(name) if right else None
    if account is None or not account.active:
        context.audit("", "sign-in refused", name=name, address=address)
        raise Problem(401, _WRONG)
    context.throttle.succeed(name, address)
    context.audit(name, "sign-in", address=address)
    return account


def new_password(context: AppContext, name: str, password: str) -> str:
    """The hash of a password that somebody chose; an error where it is short, or is guessed first."""
    projects = context.store.projects.all()
    about = (name, *(text for project in projects for text in (project.slug, project.name)))
    hashed = context.passwords.hash(password)
    refuse_common(password, about)
    return hashed


def change_password(context: AppContext, account: Account, old: str, new: str, address: str) -> None:
    """Gives an account another password, who knows the one before; every session of the account ends."""
    context.throttle.enter(account.name, address)
    if not context.passwords.matches(context.store.accounts.password(account.name), old):
        context.audit(account.name, "password change refused", address=address)
        raise Problem(422, "The present password is wrong.")
    context.throttle.succeed(account.name, address)
    context.store.accounts.change_password(account.name, new_password(context, account.name, new))
    context.audit(account.name, "password changed", address=address)


def read_role(text: str) -> Role:
    """The role that a text names."""
    for role in ROLES:
        if role == text:
            return role
    raise Problem(422, f"No role is called {text!r}.", f"There are: {', '.join(ROLES)}.")


def invite(context: AppContext, role: Role, by: str, person: str = "", project: str | None = None) -> str:
    """The address of a new invitation. It is shown now and never again: the store has a hash of it."""
    token = new_token()
    expires = stamp(context.clock() + context.settings.invitation)
    context.store.invitations.add(digest(token), role, by, expires, person=person, project=project)
    context.audit(by, "invitation", role=role, person=person, project=project)
    return f"{context.settings.origin}/invitation/{token}"


def invite_first(context: AppContext) -> str:
    """The address of the invitation for the first admin; empty where there is an admin, or one may still come."""
    token = new_token()
    expires = stamp(context.clock() + context.settings.invitation)
    if not context.store.invitations.add_first(digest(token), "", expires):
        return ""
    context.audit("", "invitation", role="admin")
    return f"{context.settings.origin}/invitation/{token}"


def invited(context: AppContext, token: str) -> Invitation:
    """The invitation of a link; an error when it was used, taken back, is too old or never was."""
    invitation = context.store.invitations.get(digest(token)) if is_token(token) else None
    if invitation is None or not invitation.is_open(context.now()):
        raise Problem(
            404, "This invitation does not hold.", "It was used or taken back, or is too old. Ask for another."
        )
    return invitation


def accept(context: AppContext, token: str, typed: str, password: str) -> Account:
    """The account that an invitation opens. Of two who use the same invitation at once, one gets in."""
    name = read_name(typed)
    hashed = new_password(context, name, password)
    account = context.store.invitations.use(digest(token), name, hashed, context.now())
    _note_accepted(context, context.store.invitations.get(digest(token)), name)
    return account


def join(context: AppContext, token: str, account: Account) -> Invitation:
    """What an invitation opens to an account that is there already."""
    invitation = context.store.invitations.join(digest(token), account.name, context.now())
    _note_accepted(context, invitation, account.name)
    return invitation


def _note_accepted(context: AppContext, invitation: Invitation | None, name: str) -> None:
    if invitation is not None:
        context.audit(name, "invitation accepted", role=invitation.role, project=invitation.project)


def reset_link(context: AppContext, name: str, by: str) -> str:
    """The address where somebody chooses another password, once. It is shown now and never again."""
    context.store.accounts.get(name)
    token = new_token()
    context.store.resets.add(digest(token), name, by, stamp(context.clock() + context.settings.reset))
    context.audit(by, "password link", name=name)
    return f"{context.settings.origin}/password/{token}"


def reset_of(context: AppContext, token: str) -> str:
    """The account of a link for a password; an error when it was used, is too old or never was."""
    name = context.store.resets.account(digest(token), context.now()) if is_token(token) else None
    if name is None:
        raise Problem(404, "This link does not hold.", "It was used, or is too old. Ask an admin for another one.")
    return name


def reset_password(context: AppContext, token: str, password: str) -> None:
    """Gives the account of a link the password; its sessions end."""
    hashed = new_password(context, reset_of(context, token), password)
    name = context.store.resets.use(digest(token), hashed, context.now())
    context.audit(name, "password reset")


def keep_an_admin(store: Store, account: Account) -> None:
    """An error where nobody would be left who rules the server."""
    others = [a for a in store.accounts.all() if a.may("admin") and a.name != account.name]
    if account.may("admin") and not others:
        raise Problem(409, f"{account.name} is the only admin.", "Make somebody else an admin first.")


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else ""
