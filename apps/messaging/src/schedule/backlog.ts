import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';

const memoryMs = 1_000;
/** Beyond so many it makes no difference any more. */
const most = 2_000;
/** Beyond so many organisations, those that were not asked for lately are forgotten. */
const room = 10_000;

interface Known {
  readonly at: number;
  waiting: number;
}

/** How much of an organisation waits. Counted once a second at most; what is announced meanwhile is added. */
@Injectable()
export class Backlog {
  private readonly known = new Map<string, Known>();

  constructor(private readonly database: Database) {}

  /** How many wait before these `more`. */
  async join(organisationId: string, more: number): Promise<number> {
    const known = await this.recent(organisationId, more);
    const before = Math.max(0, known.waiting);
    known.waiting += more;
    return before;
  }

  private async recent(organisationId: string, more: number): Promise<Known> {
    const known = this.known.get(organisationId);
    if (known && performance.now() - known.at < memoryMs) return known;
    const fresh = { at: performance.now(), waiting: known?.waiting ?? 0 };
    // Set before it is counted: those who ask meanwhile share the counting, or go by what was known before.
    this.remember(organisationId, fresh);
    const counted = await this.count(organisationId);
    // These are in the table already; but who is not counted to the end has more waiting than was counted.
    fresh.waiting = counted < most ? counted - more : most;
    return fresh;
  }

  private remember(organisationId: string, known: Known): void {
    this.known.delete(organisationId);
    this.known.set(organisationId, known);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= room) return;
      this.known.delete(oldest);
    }
  }

  private async count(organisationId: string): Promise<number> {
    const [counted] = await this.database.query<{ waiting: number }>(sql`
      SELECT count(*)::int AS waiting FROM (
        SELECT FROM delivery WHERE lane = 'sms' AND organisation_id = ${organisationId}
          AND state IN ('queued', 'submitting') LIMIT ${most}) few`);
    return counted?.waiting ?? 0;
  }
}
