"""PostgreSQL: the shared journal's schema, questions and writes."""
