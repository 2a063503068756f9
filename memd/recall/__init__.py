"""Questions over a snapshot: what is asked becomes queries, hits become answers. Knows no socket, file or engine."""
