"""The one place where parts meet: files, indexes, models, sockets and the clock. Everything below it knows less."""
