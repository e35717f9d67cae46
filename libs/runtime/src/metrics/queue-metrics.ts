import type { QueueObserver } from '@gangan/queue';
import { Counter, Histogram, type Registry } from 'prom-client';

const quick = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const sizes = [1, 2, 4, 8, 16, 32, 64];

/** Turns what the transport does into Prometheus series. */
export function observeQueue(registry: Registry): QueueObserver {
  const registers = [registry];
  const sent = new Histogram({
    name: 'gangan_queue_batch_sent_size',
    help: 'Requests that left in one job',
    labelNames: ['lane'],
    buckets: sizes,
    registers,
  });
  const received = new Histogram({
    name: 'gangan_queue_batch_received_size',
    help: 'Requests that a worker took in one job',
    labelNames: ['lane'],
    buckets: sizes,
    registers,
  });
  const queued = new Histogram({
    name: 'gangan_queue_wait_seconds',
    help: 'Time that a job lay in the queue before a worker took it',
    labelNames: ['lane'],
    buckets: quick,
    registers,
  });
  const handled = new Histogram({
    name: 'gangan_queue_handler_seconds',
    help: 'Time that a handler took, by contract and outcome',
    labelNames: ['contract', 'outcome'],
    buckets: quick,
    registers,
  });
  const replied = new Histogram({
    name: 'gangan_queue_reply_seconds',
    help: 'Time until a caller had its answer, by contract and outcome',
    labelNames: ['contract', 'outcome'],
    buckets: quick,
    registers,
  });
  const parked = new Counter({
    name: 'gangan_queue_parked_total',
    help: 'Jobs and requests put aside for a person to look at',
    labelNames: ['lane'],
    registers,
  });
  return {
    batchSent: (lane, size) => {
      sent.observe({ lane }, size);
    },
    answered: (contract, outcome, seconds) => {
      replied.observe({ contract, outcome }, seconds);
    },
    jobStarted: (lane, size, queuedSeconds) => {
      received.observe({ lane }, size);
      queued.observe({ lane }, queuedSeconds);
    },
    handled: (contract, outcome, seconds) => {
      handled.observe({ contract, outcome }, seconds);
    },
    parked: (lane) => {
      parked.inc({ lane });
    },
  };
}
