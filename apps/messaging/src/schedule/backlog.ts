import { Database, sql, statement, t } from '@gangan/database';
import { boundedCache } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { LRUCache } from 'lru-cache';

const maxOrganisations = 10_000;
/** Beyond this number the exact backlog makes no difference. */
const maxCounted = 2_000;

/** Leaves out deliveries that are scheduled for later. A lease or a retry delay is shorter than these minutes. */
const countWaiting = statement(
  { waiting: t.int },
  (organisationId: string) => sql`
    SELECT count(*)::int AS waiting FROM (
      SELECT FROM delivery WHERE lane = 'sms' AND organisation_id = ${organisationId}
        AND state IN ('queued', 'submitting') AND next_attempt_at < now() + interval '5 minutes' LIMIT ${maxCounted}) few`,
);

/** The number of waiting deliveries of an organisation, counted at most once a second; new ones are added between counts. */
@Injectable()
export class Backlog {
  private readonly counts: LRUCache<string, { waiting: number }, number>;

  constructor(database: Database) {
    this.counts = boundedCache(maxOrganisations, {
      ttl: 1_000,
      fetchMethod: async (organisationId, _, { context: added }) => {
        const [{ waiting } = { waiting: 0 }] = await database.run(countWaiting, organisationId);
        // The added deliveries are in the table already.
        return { waiting: waiting < maxCounted ? waiting - added : maxCounted };
      },
    });
  }

  /** Adds deliveries that are in the table. @returns how many wait before them */
  async add(organisationId: string, added: number): Promise<number> {
    const count = await this.counts.fetch(organisationId, { context: added });
    if (!count) return 0;
    const before = Math.max(0, count.waiting);
    count.waiting += added;
    return before;
  }
}
