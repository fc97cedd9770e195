"""The MCP server: rankproof's answers for coding agents, over files below one folder, with nothing written."""
