import { Database, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DueDelivery } from './claims.repository.js';

/** A changed setting is effective everywhere after this time. */
const settingTtlMs = 10_000;

/** A recent finding of a live provider outweighs the registry. */
const findListed = statement(
  { id: t.uuid },
  (deliveries: readonly DueDelivery[]) => sql`
    SELECT named.id FROM ${unnest('named', deliveries, { uuid: ['id'], text: ['recipient'] })}
    LEFT JOIN LATERAL (
      SELECT dnd FROM live_finding WHERE phone = named.recipient AND dnd_until > now() LIMIT 1) finding ON true
    LEFT JOIN LATERAL (
      SELECT true AS listed FROM dnd_number JOIN registry_import ON registry_import.id = dnd_number.import_id
      WHERE dnd_number.phone = named.recipient AND registry_import.state = 'active' LIMIT 1) registry ON true
    WHERE coalesce(finding.dnd, registry.listed, false)`,
);

/** The DND list applies to SMS of organisations that send by a promotional route (`respect_dnd`), never to OTPs. */
@Injectable()
export class DoNotDisturb {
  private readonly settings: LRUCache<string, boolean>;

  constructor(private readonly database: Database) {
    this.settings = new LRUCache({
      max: 10_000,
      ttl: settingTtlMs,
      fetchMethod: async (id) => {
        const settings = { path: ['sms', 'respect_dnd'], equals: true };
        return (await database.organisation.count({ where: { id, settings } })) > 0;
      },
    });
  }

  /** The ids of the deliveries that must not be sent. */
  async findBlocked(organisationId: string, deliveries: readonly DueDelivery[]) {
    const sms = deliveries.filter(({ channel, trafficClass }) => channel === 'sms' && trafficClass === 'sms');
    if (sms.length === 0 || !(await this.settings.fetch(organisationId))) return new Set<string>();
    return new Set((await this.database.run(findListed, sms)).map(({ id }) => id));
  }
}
