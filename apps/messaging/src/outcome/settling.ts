import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { Aftermath } from './effects.js';
import { ClaimsRepository } from '../submit/claims.repository.js';
import { Conclusions } from './apply.js';
import type { Candidate, Queue } from '../submit/delivery.js';
import type { Prospect } from '../submit/routing.js';

/** Settles what no provider is called for: it ends, or is put off. No attempt is noted, as there is none. */
@Injectable()
export class Settling {
  constructor(
    private readonly claims: ClaimsRepository,
    private readonly conclusions: Conclusions,
    private readonly aftermath: Aftermath,
    private readonly logger: AppLogger,
  ) {}

  async settle(queue: Queue, decided: readonly (readonly [Candidate, Prospect])[]): Promise<void> {
    const verdicts = decided.flatMap(([held, prospect]) =>
      prospect.kind === 'end' ? [{ held, state: prospect.state, reason: prospect.reason }] : [],
    );
    const postponed = decided.flatMap(([{ id, attempt }, prospect]) =>
      prospect.kind === 'wait' ? [{ id, attempt, ms: prospect.ms }] : [],
    );
    const forlorn = decided.filter(([, prospect]) => prospect.kind === 'wait' && prospect.isForlorn).length;
    if (forlorn > 0) {
      this.logger.error(
        { organisationId: queue.organisationId, deliveries: forlorn },
        'no provider is configured for these deliveries; they wait',
      );
    }
    if (postponed.length > 0) await this.claims.postpone(queue, postponed);
    if (verdicts.length > 0) await this.aftermath.tell(await this.conclusions.conclude(verdicts));
  }
}
