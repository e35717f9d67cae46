import type { CallbackType } from '@gangan/contracts';
import {
  type CallbackEndpoint,
  type CallbackEndpointSecret,
  command,
  Database,
  type newEndpointSecret,
  sql,
  statement,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { OwnedId } from '../callback.repository.js';
import { moveWaiting } from '../dispatch/move-waiting.js';

export type EndpointFields = Pick<
  CallbackEndpoint,
  'url' | 'host' | 'events' | 'description' | 'enabled' | 'messagesConfirmed' | 'createdAt'
>;

type NewSecret = ReturnType<typeof newEndpointSecret>;

/** Creations of one organisation wait for each other, so that each counts those before it. */
const lockEndpoints = command(
  (organisationId: string) => sql`
    SELECT pg_advisory_xact_lock(hashtextextended('callback endpoints ' || ${organisationId}::text, 0))`,
);

const insertEndpoint = command(
  ({ id, organisationId }: OwnedId, fields: EndpointFields, secret: NewSecret, max: number) => sql`
    WITH created AS (
      INSERT INTO callback_endpoint (id, organisation_id, url, host, events, description, enabled, messages_confirmed,
        created_at)
      SELECT ${id}::uuid, ${organisationId}::uuid, ${fields.url}, ${fields.host}, ${fields.events}::text[],
        ${fields.description}::text, ${fields.enabled}::bool, ${fields.messagesConfirmed}::bool,
        ${fields.createdAt}::timestamptz
      WHERE (SELECT count(*) FROM callback_endpoint WHERE organisation_id = ${organisationId}::uuid) < ${max}::int
      ON CONFLICT DO NOTHING RETURNING id, organisation_id)
    INSERT INTO callback_endpoint_secret (id, endpoint_id, organisation_id, sealed_secret)
    SELECT ${secret.id}::uuid, id, organisation_id, ${secret.sealedSecret}::bytea FROM created`,
);

const lockEndpoint = statement(
  { id: t.uuid },
  ({ id, organisationId }: OwnedId) => sql`
    SELECT id FROM callback_endpoint WHERE id = ${id} AND organisation_id = ${organisationId} FOR UPDATE`,
);

const findSecret = statement(
  { id: t.uuid },
  (id: string, endpointId: string) => sql`
    SELECT id FROM callback_endpoint_secret WHERE id = ${id} AND endpoint_id = ${endpointId}`,
);

/** The current secret signs for a while; an earlier one retires now, because receivers have to expect at most two. */
const retireSecrets = command(
  (endpointId: string, hours: number) => sql`
    UPDATE callback_endpoint_secret SET retires_at = now()
      + CASE WHEN retires_at IS NULL THEN make_interval(hours => ${hours}::int) ELSE interval '0' END
    WHERE endpoint_id = ${endpointId} AND (retires_at IS NULL OR retires_at > now())`,
);

const insertSecret = command(
  (endpointId: string, { id, organisationId, sealedSecret }: NewSecret) => sql`
    INSERT INTO callback_endpoint_secret (id, endpoint_id, organisation_id, sealed_secret)
    VALUES (${id}, ${endpointId}, ${organisationId}, ${sealedSecret})`,
);

/** Until when the secret before the current one signs. */
const findRetirement = statement(
  { retiresAt: t.timestamp },
  (endpointId: string) => sql`
    SELECT retires_at AS "retiresAt" FROM callback_endpoint_secret
    WHERE endpoint_id = ${endpointId} AND retires_at IS NOT NULL ORDER BY id DESC LIMIT 1`,
);

const keptSecrets = 10;

const deleteOldSecrets = command(
  (endpointId: string) => sql`
    DELETE FROM callback_endpoint_secret WHERE endpoint_id = ${endpointId} AND retires_at <= now()
      AND id <= (SELECT id FROM callback_endpoint_secret WHERE endpoint_id = ${endpointId}
        ORDER BY id DESC OFFSET ${keptSecrets}::int LIMIT 1)`,
);

@Injectable()
export class EndpointsRepository {
  constructor(private readonly database: Database) {}

  /** An endpoint that an earlier run created stays. @returns undefined if the organisation has `max` others */
  async create(
    owned: OwnedId,
    fields: EndpointFields,
    secret: NewSecret,
    max: number,
  ): Promise<CallbackEndpoint | undefined> {
    await this.database.transaction(async (transaction) => {
      await transaction.run(lockEndpoints, owned.organisationId);
      await transaction.run(insertEndpoint, owned, fields, secret, max);
    });
    return this.find(owned);
  }

  async find(owned: OwnedId): Promise<CallbackEndpoint | undefined> {
    return (await this.database.callbackEndpoint.findFirst({ where: { ...owned } })) ?? undefined;
  }

  async findSecret(owned: OwnedId): Promise<CallbackEndpointSecret | undefined> {
    return (await this.database.callbackEndpointSecret.findFirst({ where: { ...owned } })) ?? undefined;
  }

  /** Oldest first. */
  list(organisationId: string): Promise<CallbackEndpoint[]> {
    return this.database.callbackEndpoint.findMany({ where: { organisationId }, orderBy: { id: 'asc' } });
  }

  /**
   * @param unlessReceiving leaves an endpoint as it is if it receives this type
   * @returns whether it was changed, and the endpoint as it is then; undefined if there is none
   */
  async change(owned: OwnedId, fields: Partial<EndpointFields>, unlessReceiving?: CallbackType) {
    const data = { ...fields, updatedAt: new Date() };
    const condition = unlessReceiving !== undefined && { NOT: { events: { has: unlessReceiving } } };
    const where = { ...owned, ...condition };
    const { count } = await this.database.callbackEndpoint.updateMany({ where, data });
    const endpoint = await this.find(owned);
    return endpoint && { endpoint, isChanged: count > 0 };
  }

  /** Moves callbacks that wait for its earlier host to the current one; those beyond 10,000 when they are claimed. */
  async moveWaiting({ id }: OwnedId): Promise<void> {
    for (let slice = 0; slice < 10; slice++) if (!(await moveWaiting(this.database, id, 1_000))) return;
  }

  /**
   * Adds a secret, unless an earlier run did.
   * @returns until when the secret before it signs; undefined if there is no such endpoint
   */
  rotate(owned: OwnedId, secret: NewSecret, overlapHours: number): Promise<Date | undefined> {
    return this.database.transaction(async (transaction) => {
      const [endpoint] = await transaction.run(lockEndpoint, owned);
      if (!endpoint) return undefined;
      const [known] = await transaction.run(findSecret, secret.id, endpoint.id);
      if (!known) {
        await transaction.run(retireSecrets, endpoint.id, overlapHours);
        await transaction.run(insertSecret, endpoint.id, secret);
        await transaction.run(deleteOldSecrets, endpoint.id);
      }
      const [before] = await transaction.run(findRetirement, endpoint.id);
      return before?.retiresAt;
    });
  }

  /** Removes an endpoint with its secrets. Callbacks that wait for it are not sent any more. */
  async remove(owned: OwnedId): Promise<CallbackEndpoint | undefined> {
    const found = await this.find(owned);
    if (!found) return undefined;
    const { count } = await this.database.callbackEndpoint.deleteMany({ where: { ...owned } });
    return count > 0 ? found : undefined;
  }
}
