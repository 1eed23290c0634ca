// Keeps the runtime busy: it allocates, grows stacks, starts goroutines and sends signals to itself.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

type node struct {
	left, right *node
	name        string
}

func build(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{build(depth - 1), build(depth - 1), fmt.Sprint(depth)}
}

func grow(depth int) int {
	var space [64]int
	if depth > 0 {
		space[depth%64] = grow(depth - 1)
	}
	return space[depth%64] + 1
}

func work(done chan int) {
	sum := 0
	for i := 0; i < 100; i++ {
		if build(11).left != nil {
			sum++
		}
		grown := make(chan int)
		go func() { grown <- grow(2000) }()
		sum += <-grown
		for k := 0; k < 1000; k++ {
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		}
	}
	done <- sum
}

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
		}
	}()
	done := make(chan int)
	go work(done)
	go work(done)
	fmt.Println(<-done + <-done)
}
