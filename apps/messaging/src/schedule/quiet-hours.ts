import { nationalQuietHours, type QuietHours, quietUntil, systemClock } from '@gangan/contracts';
import { command, Database, sql, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { attemptStartedAt } from '../outcome/apply-transitions.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';
import { type SendingRules, SendingRulesCache } from '../sending-rules.js';
import type { DueDelivery } from '../submit/claims.repository.js';

/** A delivery, and when the quiet hours end in which it is due. */
export type QuietDeliveries = ReadonlyMap<DueDelivery, Date>;

type HeldDelivery = Pick<DueDelivery, 'id' | 'attempt' | 'state'> & { readonly until: Date };

/** A worker whose clock is behind that of the database must not hold the same deliveries again at once. */
const minHoldMs = 5_000;

/**
 * Leaves out deliveries that another worker has claimed since, or that wait for another reason. The time in which they are
 * held does not count towards their validity period; their age before does. An attempt without an outcome gets its row
 * here, because its start is known only from its lease.
 */
const holdDeliveries = command(
  (held: readonly HeldDelivery[], leaseMs: number) => sql`
    WITH waiting AS MATERIALIZED (
      SELECT held.id, held.attempt, still.*,
        greatest(held.until, now() + ${minHoldMs}::float8 * interval '1 millisecond') AS until
      FROM ${unnest('held', held, {
        uuid: ['id'],
        int: ['attempt'],
        delivery_state: ['state'],
        timestamptz: ['until'],
      })} CROSS JOIN LATERAL (
        SELECT provider, state = 'submitting' AS outcome_unknown, ${attemptStartedAt(leaseMs)} AS started_at
        FROM delivery WHERE id = held.id AND attempt = held.attempt AND state = held.state
          AND (next_attempt_at <= now() OR state = 'queued' AND attempt = 0 AND send_at IS NULL)
        LIMIT 1 FOR UPDATE SKIP LOCKED) AS still
    ), unanswered AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, started_at)
      SELECT id, attempt, provider, started_at FROM waiting WHERE outcome_unknown AND provider IS NOT NULL
      ON CONFLICT DO NOTHING)
    UPDATE delivery SET next_attempt_at = waiting.until, quiet_until = waiting.until, lease_holder = NULL,
      send_at = coalesce(send_at, created_at) + (waiting.until - now())
    FROM waiting WHERE delivery.id = ANY (${held.map(({ id }) => id)}::uuid[]) AND delivery.id = waiting.id`,
);

/** Holds promotional messages until the quiet hours of their organisation, and of the country of their recipient, end. */
@Injectable()
export class QuietHoursHold {
  constructor(
    private readonly database: Database,
    private readonly rules: SendingRulesCache,
    private readonly policies: RetryPolicies,
  ) {}

  async find(deliveries: readonly DueDelivery[]): Promise<QuietDeliveries> {
    const promotional = deliveries.filter(
      ({ trafficClass, category }) => trafficClass === 'sms' && category === 'promotional',
    );
    if (promotional.length === 0) return new Map();
    const organisationIds = [...new Set(promotional.map(({ organisationId }) => organisationId))];
    const rules = new Map(
      await Promise.all(organisationIds.map(async (id) => [id, await this.rules.get(id)] as const)),
    );
    const now = systemClock.now();
    const ends = new Map<string, Date | undefined>();
    return new Map(
      promotional.flatMap((delivery) => {
        const own = rules.get(delivery.organisationId);
        const hours = own ? quietHoursFor(delivery, own) : [];
        const key = JSON.stringify(hours);
        if (!ends.has(key)) ends.set(key, quietUntil(hours, now));
        const end = ends.get(key);
        return end ? [[delivery, end] as const] : [];
      }),
    );
  }

  async hold(quiet: QuietDeliveries): Promise<void> {
    if (quiet.size === 0) return;
    const held = [...quiet].map(([{ id, attempt, state }, until]) => ({ id, attempt, state, until }));
    const ordered = held.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    await this.database.run(holdDeliveries, ordered, this.policies.leaseMs);
  }
}

/** The quiet hours of the organisation; for an SMS of a live organisation also those of the country. */
const quietHoursFor = (
  { channel, recipient }: Pick<DueDelivery, 'channel' | 'recipient'>,
  { mode, quietHours, ignoresNationalHours }: SendingRules,
): readonly QuietHours[] => {
  const isNational = channel === 'sms' && mode === 'live' && !ignoresNationalHours;
  return [quietHours, isNational ? nationalQuietHours(recipient) : undefined].filter(
    (hours) => hours !== undefined,
  );
};
