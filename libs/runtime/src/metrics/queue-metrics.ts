import { withTimeout } from '@gangan/protocol';
import type { LaneDepth, QueueObserver } from '@gangan/queue';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { shareResult } from '../health/health.js';

const secondBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const sizeBuckets = [1, 2, 4, 8, 16, 32, 64];
const depthTimeoutMs = 1_000;
const depthIntervalMs = 2_000;
const states = ['waiting', 'active', 'delayed', 'failed'] as const;

/** Turns what the transport reports into Prometheus series. */
export function observeQueue(registry: Registry): QueueObserver {
  const registers = [registry];
  const size = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['lane'], buckets: sizeBuckets, registers });
  const seconds = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Histogram({ name, help, labelNames, buckets: secondBuckets, registers });
  const sent = size('gangan_queue_batch_sent_size', 'Requests that left in one job');
  const received = size('gangan_queue_batch_received_size', 'Requests that a worker received in one job');
  const waited = 'Time that a job waited in the queue before a worker started it';
  const queued = seconds('gangan_queue_wait_seconds', waited, ['lane']);
  const took = 'Time that a handler took, by contract and outcome';
  const handled = seconds('gangan_queue_handler_seconds', took, ['contract', 'outcome']);
  const untilReply = 'Time until a caller had its reply, by contract and outcome';
  const replied = seconds('gangan_queue_reply_seconds', untilReply, ['contract', 'outcome']);
  const parked = new Counter({
    name: 'gangan_queue_parked_total',
    help: 'Jobs and requests parked for a person to look at',
    labelNames: ['lane'],
    registers,
  });
  return {
    batchSent: (lane, size) => {
      sent.observe({ lane }, size);
    },
    replied: (contract, outcome, seconds) => {
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

/** Asks the broker for the depth of the lanes at each scrape. While it is unreachable there are no depths. */
export function measureDepth(registry: Registry, depths: () => Promise<readonly LaneDepth[]>): void {
  const sample = shareResult(depthIntervalMs, () =>
    withTimeout(depthTimeoutMs, depths()).catch(() => undefined),
  );
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    set: (gauge: Gauge<L>, lanes: readonly LaneDepth[] | undefined) => void,
  ): void => {
    const collect = async (): Promise<void> => {
      const lanes = await sample();
      created.reset();
      set(created, lanes);
    };
    const created = new Gauge({ name, help, labelNames, registers: [registry], collect });
  };
  const depthHelp = 'Jobs of a lane that this worker serves, by state';
  gauge('gangan_queue_depth', depthHelp, ['lane', 'state'], (depth, lanes = []) => {
    for (const lane of lanes) for (const state of states) depth.set({ lane: lane.lane, state }, lane[state]);
  });
  const ageHelp = 'Age of the oldest waiting job of a lane';
  gauge('gangan_queue_oldest_job_age_seconds', ageHelp, ['lane'], (oldest, lanes = []) => {
    for (const { lane, oldestSeconds } of lanes) oldest.set({ lane }, oldestSeconds);
  });
  gauge('gangan_queue_up', 'Whether the broker reports the depth of its lanes', [], (up, lanes) => {
    up.set(lanes ? 1 : 0);
  });
}
