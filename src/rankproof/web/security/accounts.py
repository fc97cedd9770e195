"""Signing in by name and password, invitations, and who may invite others."""

from __future__ import annotations

from starlette.requests import Request

from rankproof.judging.records import ROLES, Account, Role
from rankproof.web.context import AppContext, stamp
from rankproof.web.problems import Problem
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


def read_role(text: str) -> Role:
    """The role that a text names."""
    for role in ROLES:
        if role == text:
            return role
    raise Problem(422, f"No role is called {text!r}.", f"There are: {', '.join(ROLES)}.")


def invite(context: AppContext, role: Role, by: str) -> str:
    """The address of a new invitation. It is shown now and never again: the store has a hash of it."""
    token = new_token()
    context.store.invitations.add(digest(token), role, by, stamp(context.clock() + context.settings.invitation))
    context.audit(by, "invitation", role=role)
    return f"{context.settings.origin}/invitation/{token}"


def invited_as(context: AppContext, token: str) -> Role:
    """The role that an invitation gives; an error when it was used, is too old or never was."""
    invitation = context.store.invitations.get(digest(token)) if is_token(token) else None
    if invitation is None or invitation.used_by is not None or invitation.expires <= context.now():
        raise Problem(404, "This invitation does not hold.", "It was used, or is too old. Ask for another one.")
    return invitation.role


def accept(context: AppContext, token: str, typed: str, password: str) -> Account:
    """The account that an invitation opens. Of two who use the same invitation at once, one gets in."""
    account = context.store.invitations.use(
        digest(token), read_name(typed), context.passwords.hash(password), context.now()
    )
    context.audit(account.name, "invitation accepted", role=account.role)
    return account


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client is not None else ""
