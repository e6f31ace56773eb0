module jobsworth.dev/agent

go 1.24
