"""Derived state: text index, vectors, ledger. Everything here may be deleted at any time and is built again from files."""
