interface Call<M, R> {
  readonly member: M;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface KeyedBatcherOptions<M, R> {
  keyOf(member: M): string;
  /** Runs a batch of one key. It must be safe to run again, and return the results in the order of its members. */
  run(members: readonly M[]): Promise<readonly R[]>;
  /** Whether an error concerns the whole batch, so that it is useless to run its members one by one. */
  concernsAll?(error: unknown): boolean;
  readonly maxBatch?: number;
  /** The next batch starts after this time even if this one has not ended: it may wait for a lock. */
  readonly slowMs?: number;
}

/** Resolves when a batch, which never fails, has ended or is slow. */
function untilSlow(batch: Promise<void>, slowMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, slowMs);
    void batch.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Runs one batch per key at a time; members that arrive during it share the next. If a batch fails, its members run one by
 * one, so that only the failing one gets the error.
 */
export class KeyedBatcher<M, R> {
  private readonly waiting = new Map<string, Call<M, R>[]>();

  constructor(private readonly options: KeyedBatcherOptions<M, R>) {}

  add(member: M): Promise<R> {
    return new Promise((resolve, reject) => {
      const key = this.options.keyOf(member);
      const call = { member, resolve, reject };
      const waiting = this.waiting.get(key);
      if (waiting) waiting.push(call);
      else void this.drain(key, [call]);
    });
  }

  private async drain(key: string, waiting: Call<M, R>[]): Promise<void> {
    this.waiting.set(key, waiting);
    const { maxBatch = 64, slowMs } = this.options;
    while (waiting.length > 0) {
      const batch = this.runBatch(waiting.splice(0, maxBatch));
      await (slowMs === undefined ? batch : untilSlow(batch, slowMs));
    }
    this.waiting.delete(key);
  }

  private async runBatch(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const results = await this.options.run(calls.map(({ member }) => member));
      for (const [index, call] of calls.entries()) call.resolve(results[index] as R);
    } catch (error) {
      if (calls.length === 1 || this.options.concernsAll?.(error))
        for (const call of calls) call.reject(error);
      else for (const call of calls) await this.runBatch([call]);
    }
  }
}
