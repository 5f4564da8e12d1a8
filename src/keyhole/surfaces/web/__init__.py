"""The review page: what agents did, why, and how to take it back. For people, in a browser."""
