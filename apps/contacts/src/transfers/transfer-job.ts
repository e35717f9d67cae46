import { type LeasedJob, LeaseLostError } from '@gangan/leases';
import { isQuotaExceeded, newContext, runInContext } from '@gangan/protocol';
import type { AppLogger } from '@gangan/runtime';
import type { ContactsConfig } from '../contacts.config.js';
import type { ClaimedTransfer, TransferKind, TransferLease } from './transfer-lease.js';
import { TransferFailedError } from './transfers.errors.js';
import type { TransferMetrics } from './transfers.metrics.js';

/** `runSlice` may throw a TransferFailedError, or exceed a quota. */
type TransferSlices = Pick<LeasedJob<ClaimedTransfer>, 'runSlice'> & { readonly lease: TransferLease };

/** How imports, or exports, are claimed, run and ended. */
export function transferJob(
  kind: TransferKind,
  slices: TransferSlices,
  { CONTACT_TRANSFERS_AT_A_TIME: concurrency }: ContactsConfig,
  metrics: TransferMetrics,
  logger: Pick<AppLogger, 'info'>,
): LeasedJob<ClaimedTransfer> {
  const { lease } = slices;
  const describe = ({ id, organisationId }: ClaimedTransfer) => ({ id, organisationId });
  const runSlice = async (claimed: ClaimedTransfer, signal: AbortSignal): Promise<void> => {
    const { id: operationId, organisationId } = claimed;
    metrics.running.inc({ kind });
    try {
      const context = newContext({ operationId, organisationId, requestId: operationId });
      await runInContext(context, () => slices.runSlice(claimed, signal));
    } catch (error) {
      const reason = reasonOfFailure(error);
      if (reason === undefined) throw error;
      if (!(await lease.fail(claimed, reason))) throw new LeaseLostError();
      metrics.ended.inc({ kind, outcome: 'failed' });
      logger.info({ job: kind, ...describe(claimed), reason }, 'the transfer failed and is not retried');
    } finally {
      metrics.running.dec({ kind });
    }
  };
  return {
    name: kind,
    concurrency,
    maxStalls: 20,
    maxDelayMs: 60_000,
    isDue: lease.isDue,
    describe,
    claimNext: () => lease.claimNext(),
    runSlice,
    release: async (claimed, delayMs) => {
      await lease.release(claimed, delayMs);
      metrics.stalls.inc({ kind });
    },
    fail: async (claimed) => {
      const ended = await lease.fail(claimed, 'An internal error occurred repeatedly');
      if (ended) metrics.ended.inc({ kind, outcome: 'given_up' });
    },
  };
}

/** Undefined if the transfer can be retried. */
function reasonOfFailure(error: unknown): string | undefined {
  if (error instanceof TransferFailedError) return error.message;
  return isQuotaExceeded(error) ? (error.fields[0]?.message ?? error.message) : undefined;
}
