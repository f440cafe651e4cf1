"""The ways in from outside. `verbs` defines each verb once, as plain JSON; the command line and the servers only pass it on."""
