import { type BatchScope, currentBatch } from '@gangan/protocol';
import { AsyncResource } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Gathering } from './gathering.js';
import { type SqlFailure, sqlFailure, unavailableWhenAway, unknownWhenLost } from './sql-failure.js';

/** Answers members in their order; an Error in a place fails that member alone. */
export type SharedStatement<M, R> = (members: readonly M[]) => Promise<readonly (R | Error)[]>;

interface Call<M, R> {
  readonly member: M;
  resolve(answer: R): void;
  reject(error: unknown): void;
}

export interface RepeatPolicy {
  readonly mostRuns: number;
  readonly pauseMs: (failure: SqlFailure, run: number) => number;
}

export interface LoaderOptions {
  /** A statement that only reads leaves no doubt behind when its answer is lost. */
  readonly readOnly?: boolean;
  readonly repeat?: RepeatPolicy;
}

/** A conflict is over in a moment; a database that restarts is back after some two seconds. */
const patient: RepeatPolicy = {
  mostRuns: 6,
  pauseMs: (failure, run) => (failure === 'conflict' ? 10 * run : 50 * 2 ** run) * (0.5 + Math.random() / 2),
};

/**
 * Shares one SQL statement between the members of a batch that call the same repository method: it is sent when every
 * living member has arrived, or 5 ms after the first. Outside a batch each call is sent at once, alone.
 *
 * The statement must be safe to run again (by the members' own ids): it is, after a conflict or a lost connection.
 */
export class StatementLoader<M, R> {
  private readonly gatherings = new WeakMap<BatchScope, Gathering<Call<M, R>>>();
  /** The statement serves many, so it runs in nobody's request context. */
  private readonly nobody = new AsyncResource('StatementLoader');

  constructor(
    private readonly statement: SharedStatement<M, R>,
    private readonly options: LoaderOptions = {},
  ) {}

  async load(member: M): Promise<R> {
    try {
      return await new Promise<R>((resolve, reject) => {
        const call = { member, resolve, reject };
        const batch = currentBatch();
        if (batch) this.gatheringOf(batch).add(call);
        else this.send([call]);
      });
    } catch (error) {
      throw (this.options.readOnly ? unavailableWhenAway(error) : unknownWhenLost(error)) as Error;
    }
  }

  private gatheringOf(batch: BatchScope): Gathering<Call<M, R>> {
    let gathering = this.gatherings.get(batch);
    if (!gathering) {
      gathering = new Gathering(batch, (calls) => {
        this.gatherings.delete(batch);
        this.send(calls);
      });
      this.gatherings.set(batch, gathering);
    }
    return gathering;
  }

  private send(calls: readonly Call<M, R>[]): void {
    this.nobody.runInAsyncScope(() => void this.settle(calls));
  }

  private async settle(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const answers = await this.runUntilKnown(calls.map((call) => call.member));
      if (answers.length !== calls.length) {
        throw new Error(`A shared statement answered ${answers.length} of ${calls.length} members`);
      }
      for (const [place, call] of calls.entries()) {
        const answer = answers[place] as R | Error;
        if (answer instanceof Error) call.reject(answer);
        else call.resolve(answer);
      }
    } catch (error) {
      // One member's value spoilt it for all: alone, each gets what it deserves.
      if (sqlFailure(error) === 'data' && calls.length > 1)
        for (const call of calls) void this.settle([call]);
      else for (const call of calls) call.reject(error);
    }
  }

  private async runUntilKnown(members: readonly M[]): Promise<readonly (R | Error)[]> {
    const { mostRuns, pauseMs } = this.options.repeat ?? patient;
    let doubt: unknown;
    for (let run = 1; ; run += 1) {
      try {
        return await this.statement(members);
      } catch (error) {
        const failure = sqlFailure(error);
        if (failure === 'data' || failure === 'other') throw error;
        // Once an answer was lost, only an answer ends the doubt.
        if (failure === 'lost') doubt ??= error;
        if (failure === 'busy' || run >= mostRuns) throw doubt ?? error;
        await pause(pauseMs(failure, run));
      }
    }
  }
}
