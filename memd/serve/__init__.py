"""The socket's language: frames, messages, the server that speaks them, and where sockets, caches and configs are."""
