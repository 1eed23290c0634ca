// Calls itself and sorts in several goroutines; Go's functions have frame pointers.
package main

import (
	"fmt"
	"sort"
)

func goDeeper(depth int, work func() int) int {
	if depth == 0 {
		return work()
	}
	return goDeeper(depth-1, work) + 1
}

func sortNumbers() int {
	numbers := make([]int, 20000)
	state := uint32(1)
	for i := range numbers {
		state = state*1103515245 + 12345
		numbers[i] = int(state >> 8)
	}
	sort.Slice(numbers, func(a, b int) bool { return numbers[a] < numbers[b] })
	return numbers[0]
}

func main() {
	sums := make(chan int)
	for thread := 0; thread < 2; thread++ {
		go func() {
			sum := 0
			for i := 0; i < 20; i++ {
				sum += goDeeper(i, sortNumbers)
			}
			sums <- sum
		}()
	}
	fmt.Println(<-sums + <-sums)
}
