// The program in a pod's container when cases run on real kubelets: it waits for a word.
//
// Started without arguments it is the container's first process. Started with arguments, through exec,
// it brings a word to that process over a socket, prints what comes back, and ends:
//
//	agent exit 42     ends the container with this code
//	agent stop-code 0 what SIGTERM ends it with from now on
//	agent hold        SIGTERM ends it no more
//	agent state       prints JSON: environment, hostname, signals seen
//
// These three are done by the second process itself:
//
//	agent resolve NAME  prints the addresses of a name, in order
//	agent read FILE     prints a file
//	agent ssh HOST      logs into a host of the config in the folder of keys, and prints the name that it gives itself
//
// A container that nobody brings a word is started with how long it runs; then it ends with 0:
//
//	agent run-for 500ms
//
// Where the folder of keys, the .ssh of the superuser or JOBSWORTH_SSH_FOLDER, has any, the first process lets others log in with them, at
// port 22 or at JOBSWORTH_SSH_ADDRESS.
//
// SIGTERM ends it with 143, as a shell would be, unless JOBSWORTH_STOP is `on-word` or another code.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	socket = "/run/jobsworth-agent.sock"
	// How a process ends that SIGTERM ended.
	terminated = 128 + int(syscall.SIGTERM)
	// How long whoever brought the last word may take to read the answer.
	farewell = 500 * time.Millisecond
)

type agent struct {
	sync.Mutex
	hold     bool
	stopCode int
	signals  []string
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "run-for" {
		os.Exit(runFor(os.Args[2]))
	}
	if len(os.Args) > 1 {
		os.Exit(second(os.Args[1:]))
	}
	if hasKeys() {
		if err := serveSSH(sshAddress(), sshFolder()); err != nil {
			fmt.Fprintln(os.Stderr, "failed to let anybody log in:", err)
			os.Exit(1)
		}
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed to listen:", err)
		os.Exit(1)
	}
	stop := os.Getenv("JOBSWORTH_STOP")
	waiting := &agent{hold: stop == "on-word", stopCode: terminated}
	if code, err := strconv.Atoi(stop); err == nil {
		waiting.stopCode = code
	}
	go waiting.hearSignals()
	for {
		connection, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, "failed to accept:", err)
			os.Exit(1)
		}
		go waiting.answer(connection)
	}
}

// runFor is what a container does that nobody brings a word: its time goes by, or it is told to stop.
func runFor(text string) int {
	limit, err := time.ParseDuration(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed to understand how long:", err)
		return 1
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	select {
	case <-signals:
		return terminated
	case <-time.After(limit):
		return 0
	}
}

// second is what a process does that came through exec.
func second(words []string) int {
	var answer string
	var err error
	switch {
	case len(words) == 2 && words[0] == "resolve":
		var addresses []string
		addresses, err = net.LookupHost(words[1])
		slices.Sort(addresses)
		answer = strings.Join(addresses, " ")
	case len(words) == 2 && words[0] == "read":
		var text []byte
		text, err = os.ReadFile(words[1])
		answer = strings.TrimSuffix(string(text), "\n")
	case len(words) == 2 && words[0] == "ssh":
		answer, err = runSSH(words[1], sshFolder())
	default:
		return tell(strings.Join(words, " "))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		return 1
	}
	fmt.Println(answer)
	return 0
}

// tell brings a word to the first process of the container.
func tell(word string) int {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed to reach the agent:", err)
		return 1
	}
	fmt.Fprintln(connection, word)
	answer, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed to hear the agent:", err)
		return 1
	}
	fmt.Print(answer)
	if strings.HasPrefix(answer, "failed") {
		return 1
	}
	return 0
}

func (a *agent) answer(connection net.Conn) {
	line, err := bufio.NewReader(connection).ReadString('\n')
	if err != nil {
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	code, unreadable := strconv.Atoi(rest)
	switch {
	case word == "exit" && unreadable == nil:
		fmt.Fprintln(connection, "ok")
		// It reads, closes and ends; then the container may go without taking it along.
		_ = connection.SetReadDeadline(time.Now().Add(farewell))
		_, _ = connection.Read(make([]byte, 1))
		time.Sleep(50 * time.Millisecond)
		os.Exit(code)
	case word == "stop-code" && unreadable == nil:
		a.Lock()
		a.hold, a.stopCode = false, code
		a.Unlock()
		fmt.Fprintln(connection, "ok")
	case word == "hold":
		a.Lock()
		a.hold = true
		a.Unlock()
		fmt.Fprintln(connection, "ok")
	case word == "state":
		_ = json.NewEncoder(connection).Encode(a.state())
	default:
		fmt.Fprintf(connection, "failed to understand %q\n", line)
	}
	_ = connection.Close()
}

func (a *agent) hearSignals() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	for heard := range signals {
		a.Lock()
		a.signals = append(a.signals, heard.String())
		hold, code := a.hold, a.stopCode
		a.Unlock()
		if !hold {
			os.Exit(code)
		}
	}
}

func (a *agent) state() map[string]any {
	a.Lock()
	defer a.Unlock()
	hostname, _ := os.Hostname()
	environment := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environment[name] = value
	}
	return map[string]any{"hostname": hostname, "environment": environment, "signals": a.signals, "hold": a.hold}
}
