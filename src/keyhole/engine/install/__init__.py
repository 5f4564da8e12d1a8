"""keyhole in the configuration of agent hosts: put in, taken out, looked for."""
