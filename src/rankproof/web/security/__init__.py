"""Who may do what: sessions, roles, forged and oversized requests, guessing, and the headers of every answer."""
