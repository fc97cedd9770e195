"""One file per page: what it shows as a frozen dataclass, its handlers, and ROUTES; TABS where a project has it."""
