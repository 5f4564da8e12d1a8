package pool

import "errors"

const size = 8
const queue = 64

var ErrClosed = errors.New("pool: closed")

type Pool struct {
	jobs   chan func()
	closed bool
}

func New() *Pool {
	p := &Pool{jobs: make(chan func(), queue)}
	for i := 0; i < size; i++ {
		go p.work()
	}
	return p
}

func (p *Pool) Submit(job func()) error {
	if p.closed {
		return ErrClosed
	}
	p.jobs <- job
	return nil
}

func (p *Pool) work() {
	for job := range p.jobs {
		job()
	}
}
