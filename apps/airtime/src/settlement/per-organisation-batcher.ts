import { isTransient, retryTransient } from '@gangan/billing';

interface Call<M, R> {
  readonly member: M;
  resolve(result: R): void;
  reject(error: unknown): void;
}

const maxBatch = 64;

/**
 * Runs one transaction at a time for each organisation; calls that arrive meanwhile share the next one. Purchases that
 * end at the same time therefore queue for their wallet here and not in the database, where buyers wait for it too,
 * and a locked wallet does not delay other organisations.
 */
export class PerOrganisationBatcher<M, R> {
  private readonly waiting = new Map<string, Call<M, R>[]>();

  /** @param runAll must be safe to repeat, and return results in the order of its members */
  constructor(
    private readonly runAll: (members: readonly M[]) => Promise<readonly R[]>,
    private readonly organisationOf: (member: M) => string,
  ) {}

  run(member: M): Promise<R> {
    return new Promise((resolve, reject) => {
      const organisation = this.organisationOf(member);
      const call = { member, resolve, reject };
      const waiting = this.waiting.get(organisation);
      if (waiting) waiting.push(call);
      else void this.drain(organisation, [call]);
    });
  }

  private async drain(organisation: string, waiting: Call<M, R>[]): Promise<void> {
    this.waiting.set(organisation, waiting);
    while (waiting.length > 0) await this.runBatch(waiting.splice(0, maxBatch));
    this.waiting.delete(organisation);
  }

  private async runBatch(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const results = await retryTransient(() => this.runAll(calls.map(({ member }) => member)));
      for (const [index, call] of calls.entries()) call.resolve(results[index] as R);
    } catch (error) {
      // One member may fail the batch, so each runs again alone; a locked wallet or lost database would fail them all.
      if (calls.length === 1 || isTransient(error)) for (const call of calls) call.reject(error);
      else for (const call of calls) await this.runBatch([call]);
    }
  }
}
