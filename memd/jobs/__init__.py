"""When memory work is due. What is due comes from files and now; the scheduler only wakes."""
