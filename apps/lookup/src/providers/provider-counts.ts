import { Database } from '@gangan/database';
import { type LookupCall, SubmissionCounter } from '@gangan/providers';
import { Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';

const intervalMs = 10_000;

@Injectable()
export class ProviderCounts implements BeforeApplicationShutdown {
  private readonly counter = new SubmissionCounter();

  constructor(private readonly database: Database) {}

  add(provider: string, { outcome, reason }: LookupCall): void {
    const isAccepted = outcome === 'accepted' || outcome === 'not_found';
    this.counter.add(
      provider,
      isAccepted ? undefined : outcome === 'account' ? outcome : (reason ?? outcome),
    );
  }

  @Periodic('storing counts of lookups', intervalMs)
  async store(): Promise<boolean> {
    await this.counter.store(this.database);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.store().catch(() => undefined);
  }
}
