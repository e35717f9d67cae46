import { Database, sql, statement, t, unnest } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { respectsDnd } from '../respects-dnd.js';
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

const findSettings = statement(
  { id: t.uuid, respectsDnd: t.bool },
  (organisationIds: readonly string[]) => sql`
    SELECT found.id, found.respects_dnd AS "respectsDnd" FROM unnest(${organisationIds}::uuid[]) AS named (id)
    CROSS JOIN LATERAL (
      SELECT id, ${respectsDnd} FROM organisation WHERE id = named.id LIMIT 1) found`,
);

/** The DND list applies to SMS of organisations that send by a promotional route (`respect_dnd`), never to OTPs. */
@Injectable()
export class DoNotDisturb {
  private readonly settings = new LRUCache<string, boolean>({ max: 10_000, ttl: settingTtlMs });

  constructor(private readonly database: Database) {}

  /** The ids of the deliveries that must not be sent. */
  async findBlocked(deliveries: readonly DueDelivery[]): Promise<ReadonlySet<string>> {
    const sms = deliveries.filter(({ channel, trafficClass }) => channel === 'sms' && trafficClass === 'sms');
    const respecting = await this.findRespecting(new Set(sms.map(({ organisationId }) => organisationId)));
    const compared = sms.filter(({ organisationId }) => respecting.has(organisationId));
    if (compared.length === 0) return new Set();
    return new Set((await this.database.run(findListed, compared)).map(({ id }) => id));
  }

  /** The organisations that respect the DND list. */
  private async findRespecting(organisationIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const known = new Map([...organisationIds].map((id) => [id, this.settings.get(id)]));
    const unknown = [...organisationIds].filter((id) => known.get(id) === undefined);
    const found = unknown.length > 0 ? await this.database.run(findSettings, unknown) : [];
    for (const { id, respectsDnd } of found) {
      this.settings.set(id, respectsDnd);
      known.set(id, respectsDnd);
    }
    return new Set([...organisationIds].filter((id) => known.get(id) === true));
  }
}
