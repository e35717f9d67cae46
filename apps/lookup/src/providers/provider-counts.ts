import { Database } from '@gangan/database';
import { type LookupCall, storedHealth } from '@gangan/providers';
import { Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

const intervalMs = 10_000;
const maxCodeLength = 64;

/** Counts the calls to providers, for `pnpm admin providers list`. */
@Injectable()
export class ProviderCounts implements BeforeApplicationShutdown {
  private counts = new Map<string, { submitted: number; notAccepted: number; code: string | undefined }>();

  constructor(private readonly database: Database) {}

  add(provider: string, { outcome, reason }: LookupCall): void {
    const counted = this.counts.get(provider) ?? { submitted: 0, notAccepted: 0, code: undefined };
    counted.submitted += 1;
    if (outcome !== 'accepted' && outcome !== 'not_found') {
      counted.notAccepted += 1;
      counted.code = (outcome === 'account' ? outcome : (reason ?? outcome)).slice(0, maxCodeLength);
    }
    this.counts.set(provider, counted);
  }

  @Periodic('storing counts of lookups', intervalMs)
  async store(): Promise<boolean> {
    const counts = [...this.counts].map(([provider, counted]) => ({ provider, ...counted }));
    this.counts = new Map();
    if (counts.length > 0) await storedHealth.addCounts(this.database, counts);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.store().catch(() => undefined);
  }
}
