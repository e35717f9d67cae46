import { CallbackAnnouncer } from '@gangan/callbacks';
import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AudienceRepository } from '../audience/audience.repository.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { type ClaimedChange, isChangeDue } from './change-lease.js';
import { ChangesRepository } from './changes.repository.js';

/** How many deliveries are read, held or canceled together, and how many batches run in a turn. */
const defaultSlice = { read: 20_000, held: 1_000, canceled: 250, batches: 40 };

/** The delay between two looks at deliveries that a provider has: a part of the time since the request. */
const waitMs = { min: 250, max: 600_000, ofAge: 0.1 } as const;

/** Carries out what an organisation wants to happen to a message, in batches. */
@Injectable()
export class ChangeJob {
  constructor(
    private readonly repository: ChangesRepository,
    private readonly audience: AudienceRepository,
    private readonly outcomes: OutcomeService,
    private readonly callbacks: CallbackAnnouncer,
  ) {}

  /** `signal` asks it to end early. @throws LeaseLostError */
  runSlice(claimed: ClaimedChange, signal: AbortSignal, slice = defaultSlice): Promise<void> {
    const { action } = claimed;
    return action === 'cancel'
      ? this.cancel(claimed, signal, slice)
      : this.holdOrRelease(claimed, action, signal, slice);
  }

  /**
   * A delivery that comes back to `queued` later, because its provider did not take it, is held when it is due: the
   * schedule finds that its message is paused.
   */
  private async holdOrRelease(
    claimed: ClaimedChange,
    action: 'pause' | 'resume',
    signal: AbortSignal,
    slice: typeof defaultSlice,
  ): Promise<void> {
    const ids = await this.repository.findLeft(claimed, action, slice.read);
    if (ids.length === 0) return this.repository.finish(claimed);
    for (let start = 0; start < ids.length && !signal.aborted; start += slice.held)
      await this.repository.apply(claimed, action, ids.slice(start, start + slice.held));
    await this.repository.release(claimed);
  }

  /** Goes on until no delivery is open: one that a provider has may come back to `queued`. */
  private async cancel(
    claimed: ClaimedChange,
    signal: AbortSignal,
    slice: typeof defaultSlice,
  ): Promise<void> {
    await this.audience.cancel(claimed);
    for (let batch = 0; batch < slice.batches && !signal.aborted; batch += 1) {
      const queued = await this.repository.findQueued(claimed, slice.canceled);
      if (queued.length === 0) return this.finishCanceled(claimed);
      await this.outcomes.recordAll(queued.map((delivery) => ({ delivery, event: { type: 'canceled' } })));
      await this.repository.advance(claimed);
    }
    await this.repository.release(claimed);
  }

  private async finishCanceled(claimed: ClaimedChange): Promise<void> {
    const callbackIds = await this.repository.finishCanceled(claimed);
    if (callbackIds) return this.callbacks.announce(callbackIds);
    const { min, max, ofAge } = waitMs;
    await this.repository.wait(claimed, Math.min(max, Math.max(min, claimed.ageMs * ofAge)));
  }
}

@Injectable()
export class ChangeRunner extends LeasedJobRunner<ClaimedChange> {
  constructor(job: ChangeJob, repository: ChangesRepository, logger: AppLogger) {
    super(
      {
        name: 'message change',
        concurrency: 2,
        // A cancellation is never given up, because nothing else refunds the deliveries.
        maxStalls: Infinity,
        maxDelayMs: 60_000,
        isDue: isChangeDue,
        describe: ({ messageId, organisationId, action }) => ({ message: messageId, organisationId, action }),
        claimNext: () => repository.claimNext(),
        runSlice: (claimed, signal) => job.runSlice(claimed, signal),
        release: (claimed, delayMs) => repository.release(claimed, delayMs),
        fail: (claimed) => repository.release(claimed),
      },
      logger,
    );
  }
}
