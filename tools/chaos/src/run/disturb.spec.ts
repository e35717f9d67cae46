import { describe, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import type { FaultName } from '../plan/fault-kinds.js';
import type { PlannedFault } from '../plan/plan-faults.js';
import type { ChaosSystem } from '../system/chaos-system.js';
import { Timeline } from '../traffic/timeline.js';
import { injectFaults } from './disturb.js';
import { FaultLog, type LoggedFault } from './fault-log.js';

const planned = (fault: FaultName, target = ''): PlannedFault => ({
  fault,
  target,
  atMs: 0,
  durationMs: 50,
  commit: 1,
  clock: '+10m',
});

/** The log of faults that are all planned for the same time and last for 50 ms. */
async function logOf(plan: readonly PlannedFault[]): Promise<LoggedFault[]> {
  const log = new FaultLog();
  const injector = { inject: ({ durationMs }: PlannedFault) => pause(durationMs, 'done') };
  const context = { system: {} as ChaosSystem, timeline: new Timeline(), over: new AbortController().signal };
  await injectFaults(plan)({ ...context, injector, log });
  return log.entries;
}

describe('the injection of faults', () => {
  it('logs a fault of a server from its turn on, not from its planned time', async () => {
    const faults = ['kill-postgres', 'disk-full', 'restart-postgres'] as const;
    const log = await logOf(faults.map((fault) => planned(fault)));
    expect(log.map(({ fault }) => fault)).toEqual(faults);
    for (const [index, { beganMs, began }] of log.entries()) {
      expect(beganMs).toBeGreaterThanOrEqual(log[index - 1]?.endedMs ?? 0);
      expect(began.getTime()).toBeGreaterThanOrEqual(log[index - 1]?.ended.getTime() ?? 0);
    }
  });

  it('lets faults of different servers and processes overlap', async () => {
    const log = await logOf([
      planned('kill-postgres'),
      planned('restart-redis'),
      planned('stop-process', 'otp-1'),
      planned('stop-process', 'otp-2'),
    ]);
    const lastBegan = Math.max(...log.map(({ beganMs }) => beganMs));
    expect(lastBegan).toBeLessThan(Math.min(...log.map(({ endedMs }) => endedMs)));
  });
});
