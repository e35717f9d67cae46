import type { SqlRunner } from '@gangan/database';
import { storedHealth, type SubmissionCounts } from './stored-health.js';

const maxCodeLength = 64;

/** Counts what a worker submits to each provider, for `pnpm admin providers list`. */
export class SubmissionCounter {
  private counts = new Map<string, SubmissionCounts>();

  /** @param code why it was not accepted; absent if it was */
  add(provider: string, code?: string): void {
    let counts = this.counts.get(provider);
    if (!counts)
      this.counts.set(provider, (counts = { provider, submitted: 0, notAccepted: 0, code: undefined }));
    counts.submitted += 1;
    if (code === undefined) return;
    counts.notAccepted += 1;
    counts.code = code.slice(0, maxCodeLength);
  }

  /** Stores the counts since the last call. */
  async store(database: SqlRunner): Promise<void> {
    const counts = [...this.counts.values()];
    this.counts = new Map();
    if (counts.length > 0) await storedHealth.addCounts(database, counts);
  }
}
