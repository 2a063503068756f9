"""Bytes to records and back. Never raises on a user's file; never knows where the bytes came from.

`note` is the way in, `render` the way out; `markdown` and `frontmatter` give the places that edits need.
"""
