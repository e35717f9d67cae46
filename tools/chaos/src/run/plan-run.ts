import type { BrokerKind } from '@gangan/testing';
import { availableFaults, type SkippedFault } from '../faults/availability.js';
import type { ChaosOptions } from '../options.js';
import { planFaults } from '../plan/plan-faults.js';
import { restartOrder } from '../plan/restart-order.js';
import type { Check } from '../reconcile/check.js';
import { firstAttempt } from '../reconcile/checks/requests.js';
import { processNames } from '../system/process-names.js';
import { type Disturb, injectFaults, restartInTurn } from './disturb.js';

/** Before the first restart: the code of new processes is slow until it is compiled. */
const rampSeconds = 30;

export interface RunPlan {
  readonly behindLoadBalancer: boolean;
  readonly smallDisk: boolean;
  readonly disturb: Disturb;
  /** How long the rate of the traffic rises. */
  readonly rampSeconds: number;
  /** In addition to those of every run. */
  readonly checks: readonly Check[];
  readonly skipped: readonly SkippedFault[];
}

/** Plans what disturbs the system, and what that needs. */
export function planRun(seed: number, queue: BrokerKind, options: ChaosOptions): RunPlan {
  const { seconds, workers } = options;
  const behindLoadBalancer = options.plan === 'rolling-restart';
  const processes = processNames({ workers, behindLoadBalancer });
  if (behindLoadBalancer) {
    const disturb = restartInTurn(restartOrder(seed, processes), { afterSeconds: rampSeconds, seconds });
    const checks = [firstAttempt];
    return { disturb, rampSeconds, behindLoadBalancer, smallDisk: false, checks, skipped: [] };
  }
  const { faults, skipped } = availableFaults(options.faults, queue);
  const count = options.count || undefined;
  // The same plan on every machine and queue; faults that are not available are left out of it.
  const plan = planFaults({ seed, seconds, faults: options.faults, count, processes });
  const disturb = injectFaults(plan.filter(({ fault }) => faults.includes(fault)));
  const smallDisk = faults.includes('disk-full');
  return { disturb, rampSeconds: 0, behindLoadBalancer, smallDisk, checks: [], skipped };
}
