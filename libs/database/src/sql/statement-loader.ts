import { type BatchScope, currentBatch } from '@gangan/protocol';
import { AsyncResource } from 'node:async_hooks';
import { isTransient, retryTransient, type SqlRetryPolicy } from './retry-transient.js';
import { sqlFailure, unavailableWhenAway, unknownWhenLost } from './sql-failure.js';

/** Returns the results in the order of the members; an Error in a position fails that member alone. */
export type SharedStatement<M, R> = (members: readonly M[]) => Promise<readonly (R | Error)[]>;

export interface LoaderOptions {
  /** A statement that only reads is `unavailable` if its reply is lost, never of unknown outcome. */
  readonly readOnly?: boolean;
  readonly retry?: Pick<Partial<SqlRetryPolicy>, 'maxAttempts' | 'delayMs'>;
}

interface Call<M, R> {
  readonly member: M;
  resolve(result: R): void;
  reject(error: unknown): void;
}

const defaultMaxAttempts = 6;

/** How long a statement is repeated while the database is unavailable. Its callers wait, and can retry themselves. */
const retryUnreachableMs = 200;

/** How long the first call waits for the others of its batch. */
const maxWaitMs = 5;

/**
 * Shares one SQL statement between the members of a batch that call the same repository method: it is sent when every
 * unfinished member has arrived, or 5 ms after the first. Outside a batch each call is sent at once, alone.
 *
 * The statement is repeated after a conflict, and briefly while the database is unavailable, so it must be safe to run
 * again (by the members' own ids).
 */
export class StatementLoader<M, R> {
  private readonly gatherings = new WeakMap<BatchScope, Gathering<Call<M, R>>>();
  /** The statement serves many requests, so it runs in the context of none of them. */
  private readonly outsideRequests = new AsyncResource('StatementLoader');

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
        else void this.send([call]);
      });
    } catch (error) {
      throw (this.options.readOnly ? unavailableWhenAway(error) : unknownWhenLost(error)) as Error;
    }
  }

  /** Runs the statement for these members together. @throws what fails all of them: `lost` if the outcome is unknown */
  loadAll(members: readonly M[]): Promise<readonly (R | Error)[]> {
    return this.outsideRequests.runInAsyncScope(() => this.runUntilKnown(members));
  }

  private gatheringOf(batch: BatchScope): Gathering<Call<M, R>> {
    let gathering = this.gatherings.get(batch);
    if (!gathering) {
      gathering = new Gathering(batch, (calls) => {
        this.gatherings.delete(batch);
        void this.send(calls);
      });
      this.gatherings.set(batch, gathering);
    }
    return gathering;
  }

  private send(calls: readonly Call<M, R>[]): Promise<void> {
    return this.outsideRequests.runInAsyncScope(() => this.settle(calls));
  }

  private async settle(calls: readonly Call<M, R>[]): Promise<void> {
    try {
      const results = await this.runUntilKnown(calls.map((call) => call.member));
      if (results.length !== calls.length) {
        throw new Error(`A shared statement returned ${results.length} results for ${calls.length} members`);
      }
      for (const [index, call] of calls.entries()) {
        const result = results[index] as R | Error;
        if (result instanceof Error) call.reject(result);
        else call.resolve(result);
      }
    } catch (error) {
      // The value of one member fails the statement for all members, so each member runs alone.
      if (sqlFailure(error) === 'data' && calls.length > 1)
        await Promise.all(calls.map((call) => this.settle([call])));
      else for (const call of calls) call.reject(error);
    }
  }

  private async runUntilKnown(members: readonly M[]): Promise<readonly (R | Error)[]> {
    let lost: unknown;
    /** After a lost reply the outcome stays unknown until an attempt succeeds or fails for good. */
    const unlessLost = <T>(result: T): T =>
      lost !== undefined && result instanceof Error && isTransient(result) ? (lost as T) : result;
    let unreachableSince: number | undefined;
    const isRetryable = (error: unknown): boolean => {
      const failure = sqlFailure(error);
      if (failure === 'conflict') return true;
      if (failure !== 'unreachable' && failure !== 'lost') return false;
      if (failure === 'lost') lost ??= error;
      unreachableSince ??= performance.now();
      return performance.now() - unreachableSince < retryUnreachableMs;
    };
    try {
      const policy = { maxAttempts: defaultMaxAttempts, ...this.options.retry, isRetryable };
      const results = await retryTransient(() => this.statement(members), policy);
      return lost === undefined ? results : results.map(unlessLost);
    } catch (error) {
      throw unlessLost(error);
    }
  }
}

/** A method of a repository whose calls within a batch share one statement, as `StatementLoader` describes. */
export function shareStatement<M, R>(
  statement: SharedStatement<M, R>,
  options?: LoaderOptions,
): (member: M) => Promise<R> {
  const loader = new StatementLoader(statement, options);
  return (member) => loader.load(member);
}

/** Collects calls until every unfinished member of the batch has made one, or the time is up. */
class Gathering<C> {
  private readonly calls: C[] = [];
  private readonly timer: NodeJS.Timeout;
  private readonly stopWatching: () => void;

  constructor(
    private readonly batch: BatchScope,
    private readonly send: (calls: readonly C[]) => void,
  ) {
    this.timer = setTimeout(this.flush, maxWaitMs);
    this.stopWatching = batch.onMemberFinished(this.flushWhenComplete);
  }

  add(call: C): void {
    this.calls.push(call);
    this.flushWhenComplete();
  }

  private readonly flushWhenComplete = (): void => {
    if (this.calls.length >= this.batch.unfinished) this.flush();
  };

  private readonly flush = (): void => {
    clearTimeout(this.timer);
    this.stopWatching();
    this.send(this.calls);
  };
}
