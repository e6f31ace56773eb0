// Pods that log into each other: a server that knows the key in a folder, and a client that uses it. The folder is laid out as ssh's
// own in a home: id_rsa, authorized_keys, config.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

// How long a connection may take to stand.
const connectWithin = 10 * time.Second

func sshFolder() string {
	if folder := os.Getenv("JOBSWORTH_SSH_FOLDER"); folder != "" {
		return folder
	}
	return filepath.Join("/root", ".ssh")
}

func sshAddress() string {
	if address := os.Getenv("JOBSWORTH_SSH_ADDRESS"); address != "" {
		return address
	}
	return ":22"
}

func hasKeys() bool {
	_, err := os.Stat(filepath.Join(sshFolder(), "authorized_keys"))
	return err == nil
}

// serveSSH lets in whoever has a key of the folder's authorized_keys, and answers each command with the name of this host.
func serveSSH(address, folder string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	config := &ssh.ServerConfig{
		// Read anew each time: a file in a pod follows its Secret.
		PublicKeyCallback: func(_ ssh.ConnMetadata, offered ssh.PublicKey) (*ssh.Permissions, error) {
			return nil, known(filepath.Join(folder, "authorized_keys"), offered)
		},
	}
	config.AddHostKey(signer)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				fmt.Fprintln(os.Stderr, "failed to accept:", err)
				os.Exit(1)
			}
			go welcome(connection, config)
		}
	}()
	return nil
}

func known(file string, offered ssh.PublicKey) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for len(text) > 0 {
		key, _, _, rest, err := ssh.ParseAuthorizedKey(text)
		if err != nil {
			return fmt.Errorf("%s has no such key", file)
		}
		if bytes.Equal(key.Marshal(), offered.Marshal()) {
			return nil
		}
		text = rest
	}
	return fmt.Errorf("%s has no such key", file)
}

func welcome(connection net.Conn, config *ssh.ServerConfig) {
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(connectWithin))
	_, channels, requests, err := ssh.NewServerConn(connection, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for offered := range channels {
		if offered.ChannelType() != "session" {
			_ = offered.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		channel, requests, err := offered.Accept()
		if err != nil {
			return
		}
		for request := range requests {
			isCommand := request.Type == "exec"
			_ = request.Reply(isCommand, nil)
			if !isCommand {
				continue
			}
			hostname, _ := os.Hostname()
			fmt.Fprintln(channel, hostname)
			_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{0}))
			_ = channel.Close()
		}
	}
}

// runSSH asks the host, as the folder's config names it, for its name.
func runSSH(host, folder string) (string, error) {
	file := filepath.Join(folder, "id_rsa")
	if err := isPrivate(file); err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return "", fmt.Errorf("read id_rsa: %w", err)
	}
	address, err := addressOf(host, filepath.Join(folder, "config"))
	if err != nil {
		return "", err
	}
	client, err := ssh.Dial("tcp", address, &ssh.ClientConfig{
		User: "root",
		Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		// As the plugin's config says: pods come and go, and nobody knows their keys.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
		Timeout:         connectWithin,
	})
	if err != nil {
		return "", err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return "", err
	}
	output, err := session.Output("hostname")
	return strings.TrimSpace(string(output)), err
}

// isPrivate refuses a key of our own that others may read, as ssh's own client does.
func isPrivate(file string) error {
	found, err := os.Stat(file)
	if err != nil {
		return err
	}
	owner, known := found.Sys().(*syscall.Stat_t)
	if known && int(owner.Uid) == os.Getuid() && found.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s may be read by others: its mode is %o", file, found.Mode().Perm())
	}
	return nil
}

// addressOf looks a host up in a file of ssh's client, in so much of its format as the plugin writes. A host that is not in it stands
// for itself.
func addressOf(host, file string) (string, error) {
	config, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer config.Close()
	name, port, meant := host, "22", false
	lines := bufio.NewScanner(config)
	for lines.Scan() {
		word, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		switch {
		case word == "Host":
			meant = value == host
		case meant && word == "HostName":
			name = value
		case meant && word == "Port":
			port = value
		}
	}
	return net.JoinHostPort(name, port), lines.Err()
}
