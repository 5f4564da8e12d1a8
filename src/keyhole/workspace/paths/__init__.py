"""Which paths: what may be read and written, what is protected or ignored, what a walk finds."""
