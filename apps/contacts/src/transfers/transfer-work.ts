import { type LeasedJob, LeaseLostError } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import type { AppLogger } from '@gangan/runtime';
import { type Held, Hopeless } from './held.js';
import type { Leases } from './leases.js';
import type { TransferKind, TransferMetrics } from './transfer-metrics.js';

/** Carries a piece of an import or export out: about a few seconds' worth. `signal` asks to leave off early. */
export interface Transfer {
  carryOn(held: Held, signal: AbortSignal): Promise<void>;
}

/** How imports, or exports, are taken up, carried out and given up. */
export function transferWork(
  what: TransferKind,
  seats: number,
  leases: Leases,
  transfer: Transfer,
  metrics: TransferMetrics,
  logger: Pick<AppLogger, 'info'>,
): LeasedJob<Held> {
  let inHand = 0;
  const describe = ({ id, organisationId }: Held) => ({ id, organisationId });
  const carryOn = async (held: Held, signal: AbortSignal): Promise<void> => {
    const { id: operationId, organisationId } = held;
    metrics.showRunning(what, (inHand += 1));
    try {
      await runInContext(newContext({ operationId, organisationId }), () => transfer.carryOn(held, signal));
    } catch (error) {
      if (!(error instanceof Hopeless)) throw error;
      if (!(await leases.fail(held, error.message))) throw new LeaseLostError();
      metrics.countEnd(what, 'failed');
      logger.info({ what, ...describe(held), reason: error.message }, 'failed for good');
    } finally {
      metrics.showRunning(what, (inHand -= 1));
    }
  };
  return {
    name: what,
    concurrency: seats,
    maxStalls: 20,
    maxDelayMs: 60_000,
    describe,
    claimNext: () => leases.take(),
    runSlice: carryOn,
    release: async (held, pauseMs) => {
      await leases.giveBack(held, pauseMs);
      metrics.countStall(what);
    },
    fail: async (held) => {
      const ended = await leases.fail(held, 'Something went wrong on our side, again and again');
      if (ended) metrics.countEnd(what, 'given_up');
    },
  };
}
