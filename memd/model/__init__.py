"""What a vault is: frozen records and pure look-ups. Knows no files, no sockets, no clocks."""
