"""What each method answers: params and a snapshot in, an answer and a plan out. Knows no socket, and does nothing itself."""
