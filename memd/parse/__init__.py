"""Bytes to records and back. Never raises on a user's file; never knows where the bytes came from."""
