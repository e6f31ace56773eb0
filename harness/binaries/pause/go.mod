module jobsworth.dev/binaries/pause

go 1.26.0
