import { Database, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { DueDelivery } from './claims.repository.js';

/** A recent finding of a live provider that the organisation may use outweighs the registry. */
const findListed = statement(
  { id: t.uuid },
  (deliveries: readonly DueDelivery[]) => sql`
    SELECT named.id FROM ${unnest('named', deliveries, { uuid: ['id', 'organisationId'], text: ['recipient'] })}
    LEFT JOIN LATERAL (
      SELECT dnd FROM live_finding WHERE phone = named.recipient AND dnd_until > now()
        AND (organisation_id IS NULL OR organisation_id = named.organisation_id) LIMIT 1) finding ON true
    LEFT JOIN LATERAL (
      SELECT true AS listed FROM dnd_number JOIN registry_import ON registry_import.id = dnd_number.import_id
      WHERE dnd_number.phone = named.recipient AND registry_import.state = 'active' LIMIT 1) registry ON true
    WHERE coalesce(finding.dnd, registry.listed, false)`,
);

/** The DND list applies to promotional SMS, never to OTPs. */
@Injectable()
export class DoNotDisturb {
  constructor(private readonly database: Database) {}

  /** The ids of the deliveries that must not be sent. */
  async findBlocked(deliveries: readonly DueDelivery[]): Promise<ReadonlySet<string>> {
    const compared = deliveries.filter(
      ({ channel, trafficClass, category }) =>
        channel === 'sms' && trafficClass === 'sms' && category === 'promotional',
    );
    if (compared.length === 0) return new Set();
    return new Set((await this.database.run(findListed, compared)).map(({ id }) => id));
  }
}
