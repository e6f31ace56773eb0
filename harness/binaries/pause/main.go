// Pause holds a pod's namespaces: it waits to be told to end, and buries orphans as the pod's first process.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Room for more than one: a signal that finds the channel full is lost.
	heard := make(chan os.Signal, 16)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for told := range heard {
		if told != syscall.SIGCHLD {
			os.Exit(0)
		}
		bury()
	}
}

// bury reaps every child that has ended; several ends may have come as one signal.
func bury() {
	for {
		child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || child <= 0 {
			return
		}
	}
}
