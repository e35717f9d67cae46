import { setTimeout as pause } from 'node:timers/promises';

interface Call<M, R> {
  readonly member: M;
  resolve(result: R): void;
  reject(error: unknown): void;
}

interface Line<M, R> {
  readonly calls: Call<M, R>[];
  running: number;
}

export interface KeyedBatcherOptions<M, R> {
  keyOf(member: M): string;
  /**
   * Runs a batch of one key. It must be safe to run again, and return the results in the order of its members; an Error
   * fails its member alone.
   */
  run(members: readonly M[]): Promise<readonly (R | Error)[]>;
  /** Whether an error concerns the whole batch, so that it is useless to run its members one by one. */
  concernsAll?(error: unknown): boolean;
  readonly maxBatch?: number;
  /** The next batch starts after this time even if this one has not ended: it may wait for a lock. */
  readonly slowMs?: number;
  /** Calls of one turn of the event loop share the first batch. By default, the first call runs at once and alone. */
  readonly gathersTurn?: boolean;
  /** Batches of one key that run at a time. */
  readonly concurrency?: number;
  /** A batch counts as running for this much longer, so that under load the next ones have more members. */
  readonly pauseMs?: number;
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
 * Runs one batch per key at a time, or `concurrency`; members that arrive during it share the next. If a batch fails, its
 * members run one by one, so that only the failing one gets the error.
 */
export class KeyedBatcher<M, R> {
  private readonly lines = new Map<string, Line<M, R>>();
  private readonly concurrency: number;

  constructor(private readonly options: KeyedBatcherOptions<M, R>) {
    this.concurrency = options.concurrency ?? 1;
  }

  add(member: M): Promise<R> {
    const key = this.options.keyOf(member);
    return new Promise((resolve, reject) => {
      const line = this.lines.get(key) ?? { calls: [], running: 0 };
      this.lines.set(key, line);
      const waiting = line.calls.push({ member, resolve, reject });
      if (!this.options.gathersTurn) void this.drain(key, line);
      else if (waiting === 1) setImmediate(() => void this.drain(key, line));
    });
  }

  private async drain(key: string, line: Line<M, R>): Promise<void> {
    if (line.calls.length === 0 || line.running >= this.concurrency) return;
    line.running += 1;
    const { maxBatch = 64, slowMs, pauseMs } = this.options;
    while (line.calls.length > 0) {
      const batch = this.runBatch(line.calls.splice(0, maxBatch));
      await (slowMs === undefined ? batch : untilSlow(batch, slowMs));
      if (pauseMs !== undefined) await pause(pauseMs);
    }
    line.running -= 1;
    if (line.running === 0) this.lines.delete(key);
  }

  private async runBatch(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const results = await this.options.run(calls.map(({ member }) => member));
      for (const [index, call] of calls.entries()) {
        const result = results[index] as R | Error;
        if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      }
    } catch (error) {
      if (calls.length === 1 || this.options.concernsAll?.(error))
        for (const call of calls) call.reject(error);
      else for (const call of calls) await this.runBatch([call]);
    }
  }
}
