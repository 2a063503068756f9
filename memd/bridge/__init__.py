"""Clients of the socket: the Python client, the command line, and what comes later (MCP). Knows the wire and nothing else."""
