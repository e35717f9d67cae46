import type { FaultInjector } from '../faults/inject.js';
import { ServerTurns } from '../faults/server-turns.js';
import { faultKinds } from '../plan/fault-kinds.js';
import type { PlannedFault } from '../plan/plan-faults.js';
import type { ChaosSystem } from '../system/chaos-system.js';
import type { Timeline } from '../traffic/timeline.js';
import type { FaultLog } from './fault-log.js';

export interface DisturbContext {
  readonly system: ChaosSystem;
  readonly injector: Pick<FaultInjector, 'inject'>;
  readonly timeline: Timeline;
  readonly log: FaultLog;
  /** Aborted when the run is over, failed or interrupted. */
  readonly over: AbortSignal;
}

/** What happens to the system during the traffic. */
export type Disturb = (context: DisturbContext) => Promise<void>;

/** Injects faults at their times. Returns when the last one is over. */
export const injectFaults =
  (plan: readonly PlannedFault[]): Disturb =>
  async ({ injector, timeline, log, over }) => {
    const turns = new ServerTurns();
    await Promise.all(
      plan.map(async (planned) => {
        await timeline.at(planned.atMs, over);
        // A fault that waits for its turn disturbs nothing yet.
        await turns.take(faultKinds[planned.fault].server, () =>
          log.during(planned, timeline, () => injector.inject(planned)),
        );
      }),
    );
  };

/**
 * Restarts one process after the other until the traffic ends: each as soon as the one before is ready.
 * @throws if the traffic ends before every process was restarted
 */
export const restartInTurn =
  (order: Iterable<string>, { afterSeconds, seconds }: { afterSeconds: number; seconds: number }): Disturb =>
  async ({ system, timeline, log, over }) => {
    await timeline.at(afterSeconds * 1_000, over);
    for (const target of order) {
      over.throwIfAborted();
      if (timeline.elapsed() > seconds * 1_000) break;
      await log.during({ fault: 'restart-process', target }, timeline, async () => {
        await system.processNamed(target).restart();
        return 'restarted';
      });
    }
    const missing = system.processes.filter(({ starts }) => starts === 1).map(({ name }) => name);
    if (missing.length > 0)
      throw new Error(`The traffic ended before ${missing.join(', ')} was restarted: use more --seconds`);
  };
