import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { queryTooSlow, tooManyQueries } from '../contacts.errors.js';

/** Those of one organisation that wait, beyond which it is told to come back: others have to get into the lane. */
export const mostWaiting = 32;

interface Waiting {
  readonly organisationId: string;
  begin(): void;
}

/** Milliseconds that are kept for the answer's way back. */
const timeToAnswer = 1_000;

/** When nobody waits any longer for what is asked now, in milliseconds since 1970. */
export const untilAnswered = ({ deadlineMs }: { readonly deadlineMs: number }): number =>
  Date.now() + deadlineMs - timeToAnswer;

/**
 * A query can take seconds. Together they take at most half of the connections, so that everything else finds one; and
 * one organisation never takes all of those, unless there is only one.
 */
@Injectable()
export class QueryTurns {
  private readonly most: number;
  private readonly mostOfOne: number;
  private readonly running: string[] = [];
  private waiting: Waiting[] = [];

  constructor({ DATABASE_POOL_SIZE: connections }: RuntimeConfig) {
    this.most = Math.max(1, Math.floor(connections / 2));
    this.mostOfOne = Math.max(1, this.most - 1);
  }

  /** Runs it when its turn has come. @throws AppError when that is not before `until`, or too many of the same wait */
  async take<T>(organisationId: string, until: number, work: () => Promise<T>): Promise<T> {
    await this.turn(organisationId, until);
    try {
      return await work();
    } finally {
      this.running.splice(this.running.indexOf(organisationId), 1);
      this.beginNext();
    }
  }

  private async turn(organisationId: string, until: number): Promise<void> {
    if (this.hasRoomFor(organisationId)) {
      this.running.push(organisationId);
      return;
    }
    if (this.waiting.filter((other) => other.organisationId === organisationId).length >= mostWaiting)
      throw tooManyQueries();
    await new Promise<void>((resolve, reject) => {
      const waiting = { organisationId, begin: resolve };
      this.waiting.push(waiting);
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== waiting);
        reject(queryTooSlow());
      }, until - Date.now());
      waiting.begin = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private beginNext(): void {
    const next = this.waiting.find(({ organisationId }) => this.hasRoomFor(organisationId));
    if (!next) return;
    this.waiting = this.waiting.filter((other) => other !== next);
    this.running.push(next.organisationId);
    next.begin();
  }

  private hasRoomFor(organisationId: string): boolean {
    return (
      this.running.length < this.most &&
      this.running.filter((other) => other === organisationId).length < this.mostOfOne
    );
  }
}
