import type { Reason } from '@gangan/contracts';
import { Database, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { dnd, optedOut } from '../outcome/reasons.js';
import type { DueDelivery } from './claims.repository.js';

/** What decides whether a recipient is blocked. */
export type Addressed = Pick<
  DueDelivery,
  'id' | 'organisationId' | 'channel' | 'recipient' | 'trafficClass' | 'category'
>;

/**
 * An opt-out counts on every channel, the DND list only for SMS. A recent finding of a live provider that the organisation
 * may use outweighs the registry.
 */
const findBlocked = statement(
  { id: t.uuid, hasOptedOut: t.bool },
  (deliveries: readonly Addressed[]) => sql`
    SELECT named.id, own.opted_out AS "hasOptedOut"
    FROM ${unnest('named', deliveries, { uuid: ['id', 'organisationId'], channel: ['channel'], text: ['recipient'] })}
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT FROM opt_out WHERE organisation_id = named.organisation_id AND phone = named.recipient
          AND channel = named.channel) AS opted_out) own
    LEFT JOIN LATERAL (
      SELECT dnd FROM live_finding WHERE phone = named.recipient AND dnd_until > now()
        AND (organisation_id IS NULL OR organisation_id = named.organisation_id) LIMIT 1) finding ON true
    LEFT JOIN LATERAL (
      SELECT true AS listed FROM dnd_number JOIN registry_import ON registry_import.id = dnd_number.import_id
      WHERE dnd_number.phone = named.recipient AND registry_import.state = 'active' LIMIT 1) registry ON true
    WHERE own.opted_out OR named.channel = 'sms' AND coalesce(finding.dnd, registry.listed, false)`,
);

/** Recipients that get no promotional messages. OTPs and transactional messages are sent to them. */
@Injectable()
export class BlockedRecipients {
  constructor(private readonly database: Database) {}

  /** Why deliveries must not be sent, by id. */
  async find(deliveries: readonly Addressed[]): Promise<ReadonlyMap<string, Reason>> {
    const compared = deliveries.filter(
      ({ trafficClass, category }) => trafficClass === 'sms' && category === 'promotional',
    );
    if (compared.length === 0) return new Map();
    const blocked = await this.database.run(findBlocked, compared);
    return new Map(blocked.map(({ id, hasOptedOut }) => [id, hasOptedOut ? optedOut : dnd]));
  }
}
