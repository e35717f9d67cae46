import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { Aftermath } from '../outcome/effects.js';
import { Conclusions } from '../outcome/apply.js';
import { Patience } from '../outcome/retry-policy.js';
import { type Found, ReportsRepository } from './reports.repository.js';

/** The answer may be written down in between: then the delivery is looked at again. */
const mostRounds = 3;

/** A report that names a delivery as we do. */
export interface Echo {
  readonly reference?: string | undefined;
  readonly providerReference?: string | undefined;
}

/** Finds deliveries by our own reference, where a provider repeats it: even those whose answer never came. */
@Injectable()
export class OwnReferences {
  constructor(
    private readonly repository: ReportsRepository,
    private readonly conclusions: Conclusions,
    private readonly aftermath: Aftermath,
    private readonly patience: Patience,
  ) {}

  /** By our reference. What was reported of has been taken, so that it is sent from here on. */
  async find(provider: string, echoes: readonly Echo[]): Promise<ReadonlyMap<string, Found>> {
    const byId = new Map(
      echoes.flatMap((echo) => (isId(echo.reference ?? '') ? [[echo.reference ?? '', echo] as const] : [])),
    );
    const known = new Map<string, Found>();
    let open = [...byId.keys()];
    for (let round = 1; open.length > 0 && round <= mostRounds; round += 1) {
      const found = await this.repository.findOwn(provider, open);
      const unanswered = found.filter(({ state }) => state === 'submitting');
      const taken = await this.acknowledge(unanswered, byId);
      for (const each of found) {
        if (each.state !== 'submitting') known.set(each.id, each);
        else if (taken.has(each.id)) known.set(each.id, { ...each, state: 'sent' });
      }
      open = found.map(({ id }) => id).filter((id) => !known.has(id));
    }
    return known;
  }

  /** Tells which; another may have written the answer down meanwhile, or begun the next attempt. */
  private async acknowledge(
    unanswered: readonly (Found & { readonly attempt: number })[],
    echoes: ReadonlyMap<string, Echo>,
  ): Promise<ReadonlySet<string>> {
    if (unanswered.length === 0) return new Set();
    const conclusion = await this.conclusions.conclude(
      unanswered.map(({ id, attempt }) => ({
        ...{ held: { id, attempt }, outcome: 'accepted', state: 'sent', inMs: this.patience.validityMs },
        providerReference: echoes.get(id)?.providerReference,
      })),
    );
    await this.aftermath.tell(conclusion);
    return new Set(conclusion.changes.map(({ id }) => id));
  }
}
