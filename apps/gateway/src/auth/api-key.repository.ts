import { command, Database, type RowOf, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';

const findActive = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    hash: t.bytes,
    scopes: t.array(t.text),
    allowedNetworks: t.array(t.text),
    suspended: t.bool,
    restrictedCallbacks: t.bool,
    fairKeys: t.bool,
    /**
     * The key itself, or after rotations the newest successor: in the overlap both count as one. Keys that replace each other in
     * a circle, which no command makes, have no newest one, and each counts by itself.
     */
    newestId: t.uuid,
    requestsPerSecond: t.nullable(t.int),
    requestBurst: t.nullable(t.int),
    createdAt: t.timestamp,
    airtimeKeyCoolingHours: t.nullable(t.int),
  },
  (hash: Buffer) => sql`
    SELECT k.id, k.organisation_id AS "organisationId", k.hash, k.scopes, k.allowed_networks AS "allowedNetworks",
           'suspended' IN (o.status, a.status) AS suspended,
           o.restricted_callbacks AS "restrictedCallbacks",
           o.fair_keys AS "fairKeys", coalesce(newest.id, k.id) AS "newestId",
           o.requests_per_second AS "requestsPerSecond", o.request_burst AS "requestBurst",
           k.created_at AS "createdAt", o.airtime_key_cooling_hours AS "airtimeKeyCoolingHours"
    FROM api_key k
    CROSS JOIN LATERAL (SELECT * FROM organisation WHERE id = k.organisation_id LIMIT 1) o
    CROSS JOIN LATERAL (SELECT status FROM account WHERE id = o.account_id LIMIT 1) a
    LEFT JOIN LATERAL (
      WITH RECURSIVE successor AS (
        SELECT k.id, k.replaced_by
        UNION
        SELECT following.id, following.replaced_by
        FROM successor CROSS JOIN LATERAL (
          SELECT id, replaced_by FROM api_key WHERE id = successor.replaced_by LIMIT 1) following
      ) SELECT id FROM successor WHERE replaced_by IS NULL) newest ON true
    WHERE k.hash = ${hash}
      AND (k.revoked_at IS NULL OR k.revoked_at > now())
      AND (k.expires_at IS NULL OR k.expires_at > now())`,
);

const markUsed = command(
  (id: string) => sql`
    UPDATE api_key SET last_used_at = now()
    WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
);

export type ActiveKey = RowOf<typeof findActive>;

@Injectable()
export class ApiKeyRepository {
  constructor(private readonly database: Database) {}

  /** The key with this hash, unless it is revoked or has expired. */
  async findActive(hash: Buffer): Promise<ActiveKey | undefined> {
    const [key] = await this.database.run(findActive, hash);
    return key;
  }

  /** Stores the time of the last use to the minute, which saves most of the writes. */
  async markUsed(id: string): Promise<void> {
    await this.database.run(markUsed, id);
  }
}
