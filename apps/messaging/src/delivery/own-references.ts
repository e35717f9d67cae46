import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { Aftermath } from './aftermath.js';
import { Conclusions } from './conclusions.js';
import { Patience } from './patience.js';
import { type Found, ReportsRepository } from './reports.repository.js';

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
    if (byId.size === 0) return new Map();
    const found = await this.repository.findOwn(provider, [...byId.keys()]);
    const unanswered = found.filter(({ state }) => state === 'submitting');
    const taken = await this.acknowledge(unanswered, byId);
    const known = found.flatMap((each) => {
      if (each.state !== 'submitting') return [each];
      return taken.has(each.id) ? [{ ...each, state: 'sent' as const }] : [];
    });
    return new Map(known.map((each) => [each.id, each]));
  }

  /** Tells which; another worker may have begun the next attempt meanwhile. */
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
