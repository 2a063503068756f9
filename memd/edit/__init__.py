"""Text work on one note: changes as splices, names, merges, copies, links, secrets. Knows no disk, and not what memory means."""
