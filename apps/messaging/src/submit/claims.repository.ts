import {
  type Channel,
  Database,
  isSuspended,
  type OrganisationMode,
  type RowOf,
  sql,
  statement,
  t,
  unnest,
} from '@gangan/database';
import { leaseUntil } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { snapshotShape } from '../outcome/apply-transitions.js';
import { RetryPolicies, type TrafficClass } from '../outcome/retry-policy.js';
import type { Substitutions } from '../text/rendering.js';
import { byIndex } from '../transactions.js';

/** The deliveries of one organisation in one traffic class. */
export interface DeliveryGroup {
  readonly trafficClass: TrafficClass;
  readonly organisationId: string;
}

/** A delivery that a provider may be called for. */
export const dueDeliveryShape = {
  ...snapshotShape,
  channel: t.enumOf<Channel>('channel'),
  mode: t.enumOf<OrganisationMode>('organisation_mode'),
  recipient: t.text,
  /** The provider of the last attempt. */
  provider: t.nullable(t.text),
};

export type DueDelivery = RowOf<{ readonly shape: typeof dueDeliveryShape }>;

/** A due delivery that this worker holds until its lease ends. */
export type ClaimedDelivery = RowOf<typeof claimDeliveries>;

const claimDeliveries = statement(
  {
    ...dueDeliveryShape,
    provider: t.text,
    recipientGiven: t.text,
    substitutions: t.nullable(t.json<Substitutions>()),
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
    sealedBody: t.nullable(t.bytes),
  },
  (group: DeliveryGroup, due: readonly DueDelivery[], provider: string, leaseMs: number) => sql`
    WITH due AS MATERIALIZED (
      SELECT id, attempt FROM ${unnest('given', due, { uuid: ['id'], int: ['attempt'] })}
    ), locked AS MATERIALIZED (
      SELECT due.id, free.outcome_unknown FROM due CROSS JOIN LATERAL (
        SELECT state = 'submitting' AS outcome_unknown FROM delivery
        WHERE id = due.id AND organisation_id = ${group.organisationId}
          AND lane = ${group.trafficClass}::delivery_lane AND state IN ('queued', 'submitting')
          AND attempt = due.attempt
        LIMIT 1 FOR UPDATE SKIP LOCKED) free
      WHERE NOT ${isSuspended(sql`${group.organisationId}::uuid`)}
    ), claimed AS (
      UPDATE delivery SET state = 'submitting', attempt = attempt + 1, provider = ${provider},
        next_attempt_at = ${leaseUntil(leaseMs)}
      FROM locked WHERE delivery.id = locked.id
      RETURNING delivery.*, locked.outcome_unknown
    ), noted AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, provider) SELECT id, attempt, provider FROM claimed)
    SELECT id, organisation_id AS "organisationId", lane AS "trafficClass", channel,
      (SELECT mode FROM organisation WHERE id = ${group.organisationId}) AS mode, recipient, state, attempt, provider,
      extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs", outcome_unknown AS "outcomeUnknown",
      recipient_given AS "recipientGiven", substitutions, message_id AS "messageId", otp_id AS "otpId",
      sealed_body AS "sealedBody"
    FROM claimed`,
);

/** Claims deliveries. `next_attempt_at` is the end of the lease, and `attempt` identifies its holder. */
@Injectable()
export class ClaimsRepository {
  constructor(
    private readonly database: Database,
    private readonly policies: RetryPolicies,
  ) {}

  /**
   * Commits the state `submitting` before a provider is called, so that after a crash it is known which deliveries the
   * provider may have. Deliveries that another worker has claimed since are left out, and all of them if their
   * organisation has been suspended since.
   */
  async claim(
    group: DeliveryGroup,
    due: readonly DueDelivery[],
    provider: string,
  ): Promise<readonly ClaimedDelivery[]> {
    if (due.length === 0) return [];
    return byIndex(this.database).run(claimDeliveries, group, due, provider, this.policies.leaseMs);
  }
}
