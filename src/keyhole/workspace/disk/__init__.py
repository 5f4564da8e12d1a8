"""One file on the disk: system calls, what a file carries, how it is read and made durable."""
