"""Tables: the shape of the judging store. Acts are only ever appended; what holds now is derived from them."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()
# SQLite counts rows up by itself only in an INTEGER column.
_ID = BigInteger().with_variant(Integer, "sqlite")


def _project() -> Column[str]:
    return Column("project", String(80), ForeignKey("projects.slug"), nullable=False)


projects = Table(
    "projects",
    metadata,
    Column("slug", String(80), primary_key=True),
    Column("time", String(32), nullable=False),
)

# Every revision of a project; the newest holds.
revisions = Table(
    "revisions",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("body", JSON, nullable=False),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
)

queries = Table(
    "queries",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("query_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("columns", JSON, nullable=False),
    UniqueConstraint("project", "query_id"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("doc_id", Text, nullable=False),
    Column("fields", JSON, nullable=False),
    UniqueConstraint("project", "doc_id"),
)

# What an answer to one query said of a document, where that is not the document's own.
hits = Table(
    "hits",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("fields", JSON, nullable=False),
    UniqueConstraint("project", "query_id", "doc_id"),
)

# A run is known by the hash of its content; the name is what people call it.
runs = Table(
    "runs",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("name", String(200), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("time", String(32), nullable=False),
    UniqueConstraint("project", "name"),
)

rankings = Table(
    "rankings",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("run", _ID, ForeignKey("runs.id"), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_ids", JSON, nullable=False),
    UniqueConstraint("run", "query_id"),
)

judgments = Table(
    "judgments",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    _project(),
    Column("judge", String(200), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("grade", Integer),
    Column("reason", String(20), nullable=False, default=""),
    Column("note", Text, nullable=False, default=""),
    Column("time", String(32), nullable=False),
    Column("source", String(10), nullable=False),
    Column("version", Text, nullable=False, default=""),
    Column("prompt", String(64), nullable=False, default=""),
    Column("settings", String(64), nullable=False, default=""),
    Column("withdraws", String(64), nullable=False, default=""),
    Index("judgments_of_pair", "project", "query_id", "doc_id"),
    Index("judgments_of_judge", "project", "judge"),
)

# Flags and picks.
marks = Table(
    "marks",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    _project(),
    Column("kind", String(10), nullable=False),
    Column("judge", String(200), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("reason", Text, nullable=False, default=""),
    Column("note", Text, nullable=False, default=""),
    Column("variant", String(200), nullable=False, default=""),
    Column("time", String(32), nullable=False),
    Column("withdraws", String(64), nullable=False, default=""),
    Index("marks_of_query", "project", "query_id"),
)

preferences = Table(
    "preferences",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    _project(),
    Column("judge", String(200), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("variants", JSON, nullable=False),
    Column("preferred", String(200)),
    Column("blind", Boolean, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("time", String(32), nullable=False),
    Column("withdraws", String(64), nullable=False, default=""),
    Index("preferences_of_query", "project", "query_id"),
)

# What a selection proposed, in its order; judge is empty where anybody may take it. The newest row of a pair holds.
assignments = Table(
    "assignments",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("judge", String(200), nullable=False, default=""),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("weight", Float, nullable=False, default=0.0),
    Column("selection", Text, nullable=False),
    Column("time", String(32), nullable=False),
    Column("withdrawn", Boolean, nullable=False, default=False),
    Index("assignments_of_judge", "project", "judge"),
)

# Which judge has which pair in hand, and until when in seconds; `after` is the number of the last judgment before it.
leases = Table(
    "leases",
    metadata,
    Column("id", _ID, primary_key=True, autoincrement=False),
    _project(),
    Column("judge", String(200), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("until", Float, nullable=False),
    Column("after", _ID, nullable=False),
    UniqueConstraint("project", "query_id", "doc_id", "judge"),
)

# Questions whose answer is known. The newest row of a pair holds.
gold = Table(
    "gold",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("grade", Integer, nullable=False),
    Column("time", String(32), nullable=False),
    Column("withdrawn", Boolean, nullable=False, default=False),
    Index("gold_of_project", "project"),
)

# Answers of models that are no grades: stored with their text and the reason why they do not count.
failures = Table(
    "failures",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    _project(),
    Column("judge", String(200), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("text", Text, nullable=False),
    Column("time", String(32), nullable=False),
    Index("failures_of_judge", "project", "judge"),
)

# Evaluations, comparisons, verdicts and benchmarks as they were reported, by the hash of their content.
experiments = Table(
    "experiments",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("sha256", String(64), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("name", String(200), nullable=False),
    Column("body", JSON, nullable=False),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
    UniqueConstraint("project", "sha256"),
)

# A round is closed, or opened again. The newest row of a project holds.
closings = Table(
    "closings",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("closed", Boolean, nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
    Index("closings_of_project", "project"),
)

# What became of an item of the inbox, by the hash that names it. The newest row of an item holds.
resolutions = Table(
    "resolutions",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("key", String(64), nullable=False, unique=True),
    _project(),
    Column("item", String(64), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    Column("act", String(10), nullable=False),
    Column("note", Text, nullable=False, default=""),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
    Index("resolutions_of_project", "project"),
)

# Models that judge in the background. `running` is the project while a job runs: no project has two.
jobs = Table(
    "jobs",
    metadata,
    Column("id", _ID, primary_key=True),
    _project(),
    Column("running", String(80), unique=True),
    Column("state", String(20), nullable=False),
    Column("stopping", Boolean, nullable=False, default=False),
    Column("settings", JSON, nullable=False),
    Column("done", Integer, nullable=False, default=0),
    Column("total", Integer, nullable=False, default=0),
    Column("detail", JSON, nullable=False),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
    Column("seen", String(32), nullable=False),
    Index("jobs_of_project", "project"),
)

# The role is the account's own: an admin rules the server; what others may do stands in their memberships.
accounts = Table(
    "accounts",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("password", Text, nullable=False),
    Column("active", Boolean, nullable=False, default=True),
    Column("time", String(32), nullable=False),
)

memberships = Table(
    "memberships",
    metadata,
    Column("account", String(200), ForeignKey("accounts.name"), primary_key=True),
    Column("project", String(80), ForeignKey("projects.slug"), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("by", String(200), nullable=False),
    Column("time", String(32), nullable=False),
)

# Only the hash of a token is stored: whoever reads the store cannot sign in with it. `project` is null for the server.
invitations = Table(
    "invitations",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("by", String(200), nullable=False),
    Column("expires", String(32), nullable=False),
    Column("used_by", String(200)),
    Column("time", String(32), nullable=False),
    Column("person", String(200)),
    Column("project", String(80)),
    Column("revoked", String(32)),
)

# Links to choose another password, each good once.
resets = Table(
    "resets",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("account", String(200), ForeignKey("accounts.name"), nullable=False),
    Column("by", String(200), nullable=False),
    Column("expires", String(32), nullable=False),
    Column("time", String(32), nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("account", String(200), ForeignKey("accounts.name"), nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("expires", String(32), nullable=False),
    Column("time", String(32), nullable=False),
    Column("address", String(64)),
    Column("agent", String(200)),
)

# Who an account is at a provider of sign-in: the provider's address and its unchanging name for the person.
identities = Table(
    "identities",
    metadata,
    Column("issuer", String(300), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("account", String(200), ForeignKey("accounts.name"), nullable=False),
    Column("time", String(32), nullable=False),
)

# Tries to sign in that have not succeeded, counted for all servers of the store; times are seconds since 1970.
tries = Table(
    "tries",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("until", Float, nullable=False),
    Column("last", Float, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("time", String(32), nullable=False),
    Column("account", String(200), nullable=False),
    Column("action", String(80), nullable=False),
    Column("detail", JSON, nullable=False),
)
