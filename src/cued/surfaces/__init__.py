"""The ways in from outside. `verbs` has each verb once, as plain JSON; the command line and the servers only carry it."""
