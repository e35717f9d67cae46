import { withTimeout } from '@gangan/protocol';
import type { LaneDepth } from '@gangan/queue';
import { Gauge, type Registry } from 'prom-client';
import { remembered } from '../health/remembered.js';

const sampleLimitMs = 1_000;
const sampleMemoryMs = 2_000;
const states = ['waiting', 'active', 'delayed', 'failed'] as const;

/** Asks the broker how full the lanes are, whenever somebody scrapes. A broker that is away leaves no numbers. */
export function measureDepth(registry: Registry, depths: () => Promise<readonly LaneDepth[]>): void {
  const sample = remembered(sampleMemoryMs, () =>
    withTimeout(sampleLimitMs, depths()).catch(() => undefined),
  );
  const registers = [registry];

  const depth = new Gauge({
    name: 'gangan_queue_depth',
    help: 'Jobs of a lane that this worker serves, by state',
    labelNames: ['lane', 'state'],
    registers,
    collect: async () => {
      const lanes = await sample();
      depth.reset();
      for (const lane of lanes ?? []) {
        for (const state of states) depth.set({ lane: lane.lane, state }, lane[state]);
      }
    },
  });
  const oldest = new Gauge({
    name: 'gangan_queue_oldest_job_age_seconds',
    help: 'Age of the oldest waiting job of a lane',
    labelNames: ['lane'],
    registers,
    collect: async () => {
      const lanes = await sample();
      oldest.reset();
      for (const { lane, oldestSeconds } of lanes ?? []) oldest.set({ lane }, oldestSeconds);
    },
  });
  const up = new Gauge({
    name: 'gangan_queue_up',
    help: 'Whether the queue could be asked for its depth',
    registers,
    collect: async () => {
      up.set((await sample()) === undefined ? 0 : 1);
    },
  });
}
