import { parseQuietHours, type QuietHours, quietUntil } from '@gangan/contracts';
import { command, Database, sql, unnest } from '@gangan/database';
import { leaseGraceMs } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SendingRulesCache } from '../sending-rules.js';
import type { DueDelivery } from '../submit/claims.repository.js';

/** A delivery, and when the quiet hours end in which it is due. */
export type QuietDeliveries = ReadonlyMap<DueDelivery, Date>;

type HeldDelivery = Pick<DueDelivery, 'id' | 'attempt' | 'state'> & { readonly until: Date };

/** Leaves out deliveries that another worker has claimed since, or that wait for another reason. */
const holdDeliveries = command(
  (held: readonly HeldDelivery[]) => sql`
    WITH waiting AS MATERIALIZED (
      SELECT held.id, held.until FROM ${unnest('held', held, {
        uuid: ['id'],
        int: ['attempt'],
        delivery_state: ['state'],
        timestamptz: ['until'],
      })} CROSS JOIN LATERAL (
        SELECT FROM delivery WHERE id = held.id AND attempt = held.attempt AND state = held.state
          AND next_attempt_at <= now() + ${leaseGraceMs}::float8 * interval '1 millisecond'
        LIMIT 1 FOR UPDATE SKIP LOCKED) AS still)
    UPDATE delivery SET next_attempt_at = waiting.until, send_at = waiting.until, lease_holder = NULL FROM waiting
    WHERE delivery.id = ANY (${held.map(({ id }) => id)}::uuid[]) AND delivery.id = waiting.id`,
);

/** Holds promotional messages until the quiet hours of their organisation end. */
@Injectable()
export class QuietHoursHold {
  private readonly parsed = new LRUCache<string, { readonly hours: QuietHours | undefined }>({ max: 1_000 });

  constructor(
    private readonly database: Database,
    private readonly rules: SendingRulesCache,
  ) {}

  /** Those of the deliveries that are due in quiet hours. */
  async find(deliveries: readonly DueDelivery[]): Promise<QuietDeliveries> {
    const promotional = deliveries.filter(
      ({ trafficClass, category }) => trafficClass === 'sms' && category === 'promotional',
    );
    if (promotional.length === 0) return new Map();
    const organisationIds = [...new Set(promotional.map(({ organisationId }) => organisationId))];
    const now = new Date();
    const ends = new Map(
      await Promise.all(organisationIds.map(async (id) => [id, await this.endFor(id, now)] as const)),
    );
    return new Map(
      promotional.flatMap((delivery) => {
        const end = ends.get(delivery.organisationId);
        return end ? [[delivery, end] as const] : [];
      }),
    );
  }

  /** Their validity period begins at the end of the quiet hours. */
  async hold(quiet: QuietDeliveries): Promise<void> {
    if (quiet.size === 0) return;
    const held = [...quiet].map(([{ id, attempt, state }, until]) => ({ id, attempt, state, until }));
    const ordered = held.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await this.database.run(holdDeliveries, ordered);
  }

  private async endFor(organisationId: string, now: Date): Promise<Date | undefined> {
    const { quietHours: text } = await this.rules.get(organisationId);
    if (text === null) return undefined;
    const known = this.parsed.get(text) ?? { hours: parseQuietHours(text) };
    this.parsed.set(text, known);
    return known.hours && quietUntil(known.hours, now);
  }
}
