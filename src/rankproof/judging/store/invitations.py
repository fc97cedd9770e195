"""Links in the store: invitations, and links to choose another password. Each is good once; only hashes are kept."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from rankproof.errors import UsageError
from rankproof.judging.records import Account, Role
from rankproof.judging.store import tables
from rankproof.judging.store.database import Database
from rankproof.judging.store.people import PLAIN, insert_account, put_membership, refuse_role
from rankproof.judging.store.values import Row, fitting, moment, now

# A number that nothing else in a PostgreSQL database locks by.
_FIRST = 0x72616E6B66697273


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation as the store knows it.

    role     what it makes of somebody, in the project; without one, of the whole server where it is "admin", and in
             every project there is where it is another (as the first version of the store had it)
    person   the name of the account that it is for; empty where who comes chooses one
    used_by  the account that took it
    revoked  when it was taken back
    handle   names it in lists and forms, and opens nothing
    """

    role: Role
    by: str
    expires: str
    time: str
    used_by: str | None = None
    person: str = ""
    project: str | None = None
    revoked: str | None = None
    handle: str = ""

    def is_open(self, at: str) -> bool:
        """Whether it can be used at a moment."""
        return self.used_by is None and self.revoked is None and self.expires > moment(at)


class Invitations:
    """The invitations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, token: str, role: Role, by: str, expires: str, *, person: str = "", project: str | None = None
    ) -> None:
        """A new invitation, good for one account until it expires."""
        row = _row(token, role, by, expires, person, project)
        self._database.run(insert(tables.invitations).inline(), row)

    def add_first(self, token: str, by: str, expires: str) -> bool:
        """An invitation for the first admin; False where an admin is there, or one was invited and may still come.

        Of several servers that start at once, one makes it.
        """
        row = _row(token, "admin", by, expires, "", None)
        accounts, table = tables.accounts.c, tables.invitations

        def work(connection: Connection) -> bool:
            self._database.one_at_a_time(connection, _FIRST)
            admin = select(accounts.name).where(accounts.role == "admin", accounts.active)
            waiting = select(table.c.token).where(
                table.c.role == "admin", table.c.project.is_(None), table.c.used_by.is_(None),
                table.c.revoked.is_(None), table.c.expires > now(),
            )  # fmt: skip
            if any(connection.execute(there.limit(1)).first() for there in (admin, waiting)):
                return False
            connection.execute(insert(table).inline(), row)
            return True

        return self._database.write(work)

    def get(self, token: str) -> Invitation | None:
        """The invitation of a token's hash, used ones and expired ones too."""
        with self._database.reading() as connection:
            row = connection.execute(_INVITATIONS.where(_C.token == token)).mappings().first()
        return None if row is None else _invitation(row)

    def all(self, project: str | None = None) -> list[Invitation]:
        """Every invitation, the oldest first; those to one project where it is named."""
        statement = _INVITATIONS.order_by(_C.time)
        if project is not None:
            statement = statement.where(_C.project == project)
        with self._database.reading() as connection:
            return [_invitation(row) for row in connection.execute(statement).mappings()]

    def revoke(self, handle: str, project: str | None = None) -> bool:
        """Takes an open invitation back; False where it was not open, or is to another project than the named one."""
        table = tables.invitations
        where = [table.c.token.startswith(handle, autoescape=True), table.c.used_by.is_(None)]
        if project is not None:
            where.append(table.c.project == project)
        if len(handle) < _HANDLE:
            return False
        return self._database.run(update(table).where(*where, table.c.revoked.is_(None)).values(revoked=now())) > 0

    def use(self, token: str, name: str, password_hash: str, at: str = "") -> Account:
        """Makes the account and uses the invitation up, both or neither; of two at once only one gets it.

        `at` is the moment that it must not have expired by: now where it is empty.
        """

        def work(connection: Connection) -> Account:
            invitation = self._taken(connection, token, name, at)
            role: Role = "admin" if _rules(invitation) else PLAIN
            account = insert_account(connection, self._database, name, role, password_hash)
            self._join(connection, invitation, name)
            return account

        return self._database.write(work)

    def join(self, token: str, name: str, at: str = "") -> Invitation:
        """Uses an invitation up for an account that is there."""

        def work(connection: Connection) -> Invitation:
            invitation = self._taken(connection, token, name, at)
            if _rules(invitation):
                c = tables.accounts.c
                connection.execute(update(tables.accounts).where(c.name == name).values(role="admin"))
            self._join(connection, invitation, name)
            return invitation

        return self._database.write(work)

    def for_person(self, name: str, at: str) -> list[tuple[str, Invitation]]:
        """The open invitations to a person, with the hashes of their tokens: for who proves the name otherwise."""
        statement = _INVITATIONS.where(_C.person == name).order_by(_C.time)
        with self._database.reading() as connection:
            rows = connection.execute(statement).mappings().all()
        return [(row["token"], _invitation(row)) for row in rows if _invitation(row).is_open(at)]

    def _taken(self, connection: Connection, token: str, name: str, at: str) -> Invitation:
        table = tables.invitations
        taken = connection.execute(
            update(table)
            .where(
                table.c.token == token, table.c.used_by.is_(None), table.c.revoked.is_(None),
                table.c.expires > moment(at),
            )
            .values(used_by=name)
        )  # fmt: skip
        if taken.rowcount != 1:
            raise UsageError("This invitation is not open: used, taken back, expired or never made. Ask for a new one.")
        invitation = _invitation(connection.execute(_INVITATIONS.where(_C.token == token)).mappings().one())
        if invitation.person and invitation.person != name:
            raise UsageError(f"This invitation is for {invitation.person}, and not for {name}.")
        return invitation

    def _join(self, connection: Connection, invitation: Invitation, name: str) -> None:
        if _rules(invitation):
            return
        slugs = (
            list(connection.execute(select(tables.projects.c.slug)).scalars())
            if invitation.project is None
            else [invitation.project]
        )
        fit = fitting(tables.memberships)
        for slug in slugs:
            row = {"account": name, "project": slug, "role": invitation.role, "by": invitation.by, "time": now()}
            put_membership(connection, self._database, fit(row))


_HANDLE = 16  # digits of the hash


def _rules(invitation: Invitation) -> bool:
    """Whether it makes an admin of the whole server."""
    return invitation.role == "admin" and invitation.project is None


def _row(token: str, role: Role, by: str, expires: str, person: str, project: str | None) -> Row:
    refuse_role(role)
    return fitting(tables.invitations)(
        {
            "token": token,
            "role": role,
            "by": by,
            "expires": moment(expires),
            "time": now(),
            "person": person,
            "project": project,
        }
    )


_C = tables.invitations.c
_INVITATIONS = select(_C.token, _C.role, _C.by, _C.expires, _C.time, _C.used_by, _C.person, _C.project, _C.revoked)


def _invitation(row: RowMapping) -> Invitation:
    return Invitation(
        row["role"], row["by"], row["expires"], row["time"], row["used_by"], row["person"] or "", row["project"],
        row["revoked"], row["token"][:_HANDLE],
    )  # fmt: skip


class PasswordResets:
    """Links to choose another password, made by an admin for somebody who forgot it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token: str, account: str, by: str, expires: str) -> None:
        """A new link; those that the account had open before hold no longer."""
        table = tables.resets
        row = fitting(table)({"token": token, "account": account, "by": by, "expires": moment(expires), "time": now()})

        def work(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.account == account))
            connection.execute(insert(table).inline(), row)

        self._database.write(work)

    def account(self, token: str, at: str) -> str | None:
        """Whose link it is; None where it was used, is too old or never was."""
        c = tables.resets.c
        with self._database.reading() as connection:
            return connection.execute(select(c.account).where(c.token == token, c.expires > moment(at))).scalar()

    def use(self, token: str, password_hash: str, at: str) -> str:
        """Gives the account its password, ends its sessions and the link; of two at once only one succeeds."""
        resets, accounts, sessions = tables.resets, tables.accounts, tables.sessions

        def work(connection: Connection) -> str:
            c = resets.c
            statement = select(c.account).where(c.token == token, c.expires > moment(at))
            name: str | None = connection.execute(statement).scalar()
            if name is None or connection.execute(delete(resets).where(c.token == token)).rowcount != 1:
                raise UsageError("This link is not open: used, expired or never made. Ask an admin for a new one.")
            connection.execute(update(accounts).where(accounts.c.name == name).values(password=password_hash))
            connection.execute(delete(sessions).where(sessions.c.account == name))
            return name

        return self._database.write(work)
