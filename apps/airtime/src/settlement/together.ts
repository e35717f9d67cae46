import { isTransient, retryTransient } from '@gangan/database';

interface Call<M, R> {
  readonly member: M;
  resolve(answer: R): void;
  reject(error: unknown): void;
}

const most = 64;

/**
 * Of each organisation one transaction at a time; what arrives meanwhile shares the next. So however many of its
 * purchases end at once, they queue for its wallet here and not in the database, where buyers wait for it too; and
 * a wallet that stays locked holds up no strangers.
 */
export class Together<M, R> {
  private readonly waiting = new Map<string, Call<M, R>[]>();

  /** @param run must be safe to run again, and answer in the order of its members */
  constructor(
    private readonly run: (members: readonly M[]) => Promise<readonly R[]>,
    private readonly requireOrganisationId: (member: M) => string,
  ) {}

  do(member: M): Promise<R> {
    return new Promise((resolve, reject) => {
      const organisation = this.requireOrganisationId(member);
      const call = { member, resolve, reject };
      const others = this.waiting.get(organisation);
      if (others) others.push(call);
      else void this.drain(organisation, [call]);
    });
  }

  private async drain(organisation: string, waiting: Call<M, R>[]): Promise<void> {
    this.waiting.set(organisation, waiting);
    while (waiting.length > 0) await this.settle(waiting.splice(0, most));
    this.waiting.delete(organisation);
  }

  private async settle(calls: readonly Call<M, R>[]): Promise<void> {
    const members = calls.map(({ member }) => member);
    try {
      const answers = await retryTransient(() => this.run(members));
      for (const [place, call] of calls.entries()) call.resolve(answers[place] as R);
    } catch (error) {
      // One of them may have spoilt it for all; but a wallet that stayed locked, or a database that stayed away, does so for each.
      if (calls.length === 1 || isTransient(error)) for (const call of calls) call.reject(error);
      else for (const call of calls) await this.settle([call]);
    }
  }
}
