import { setTimeout as pause } from 'node:timers/promises';
import { sqlFailure } from '@gangan/database';

interface Call<M, R> {
  readonly member: M;
  resolve(answer: R): void;
  reject(error: unknown): void;
}

const most = 64;
const mostRuns = 8;

/**
 * Runs one transaction at a time; what arrives meanwhile shares the next. So however many purchases of one
 * organisation end at once, they queue for its wallet here and not in the database, where buyers wait for it too.
 */
export class Together<M, R> {
  private waiting: Call<M, R>[] = [];
  private running = false;

  /** @param run must be safe to run again, and answer in the order of its members */
  constructor(private readonly run: (members: readonly M[]) => Promise<readonly R[]>) {}

  do(member: M): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ member, resolve, reject });
      if (!this.running) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) await this.settle(this.waiting.splice(0, most));
    this.running = false;
  }

  private async settle(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const answers = await this.insist(calls.map(({ member }) => member));
      for (const [place, call] of calls.entries()) call.resolve(answers[place] as R);
    } catch (error) {
      const [only] = calls;
      if (calls.length === 1) only?.reject(error);
      // One of them may have spoilt it for all.
      else for (const call of calls) await this.settle([call]);
    }
  }

  private async insist(members: readonly M[]): Promise<readonly R[]> {
    for (let run = 1; ; run += 1) {
      try {
        return await this.run(members);
      } catch (error) {
        if (run >= mostRuns || !['busy', 'conflict'].includes(sqlFailure(error))) throw error;
        await pause(20 * run * (0.5 + Math.random()));
      }
    }
  }
}
