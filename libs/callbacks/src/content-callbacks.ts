import type { CallbackBody } from '@gangan/contracts';
import { command, sql, type SqlRunner, statement, t, unnest } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { hostOf, type NewCallback } from './callbacks.js';

/** A callback whose body has the text of a message, or a link in it. */
export interface ContentCallback extends NewCallback {
  readonly withoutText: CallbackBody;
}

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

/** The endpoints that receive the types. */
const findEndpoints = statement(
  { position: t.int, endpointId: t.uuid, url: t.text, host: t.text },
  (callbacks: readonly ContentCallback[]) => sql`
    SELECT new.position::int, endpoint.id AS "endpointId", endpoint.url, endpoint.host
    FROM unnest(${callbacks.map(({ organisationId }) => organisationId)}::uuid[],
      ${callbacks.map(({ body }) => body.type)}::text[]) WITH ORDINALITY AS new (organisation_id, type, position)
    CROSS JOIN LATERAL (
      SELECT id, url, host FROM callback_endpoint
      WHERE callback_endpoint.organisation_id = new.organisation_id AND enabled AND new.type = ANY (events)
      OFFSET 0) AS endpoint`,
);

interface NewRow extends Owned {
  readonly endpointId: string | null;
  readonly type: string;
  readonly resourceId: string;
  readonly url: string;
  readonly host: string;
  readonly body: string;
  readonly sealedBody: Buffer | null;
  readonly requestId: string;
}

const insertRows = command(
  (rows: readonly NewRow[]) => sql`
    INSERT INTO callback (id, organisation_id, endpoint_id, type, resource_id, url, host, body, sealed_body, request_id,
      due_since, next_attempt_at)
    SELECT id, organisation_id, endpoint_id, type, resource_id, url, host, body, sealed_body, request_id, ${dueNow},
      ${dueNow}
    FROM ${unnest('new', rows, {
      uuid: ['id', 'organisationId', 'endpointId', 'resourceId'],
      text: ['type', 'url', 'host', 'body', 'requestId'],
      bytea: ['sealedBody'],
    })}`,
);

/**
 * Does what `recordCallbacks` does, for callbacks whose bodies may be sealed.
 * @param seal seals the body of a callback; undefined if texts of messages are stored as they are
 * @returns the ids of the rows, for `CallbackAnnouncer.announce` after the commit
 */
export async function recordContentCallbacks(
  transaction: SqlRunner,
  callbacks: readonly ContentCallback[],
  seal: ((callback: Owned, body: string) => Buffer) | undefined,
): Promise<string[]> {
  const toEndpoints = callbacks.filter(({ hasEndpoints }) => hasEndpoints);
  const endpoints = toEndpoints.length > 0 ? await transaction.run(findEndpoints, toEndpoints) : [];
  const targets = [
    ...callbacks.flatMap((callback) =>
      callback.url === null
        ? []
        : [{ callback, target: { endpointId: null, url: callback.url, host: hostOf(callback.url) } }],
    ),
    ...endpoints.flatMap(({ position, ...target }) => {
      const callback = toEndpoints[position - 1];
      return callback ? [{ callback, target }] : [];
    }),
  ];
  const rows = targets.map(({ callback, target }): NewRow => {
    const { organisationId, resourceId, requestId, body, withoutText } = callback;
    const id = newId();
    const sealedBody = seal?.({ id, organisationId }, JSON.stringify(body)) ?? null;
    const stored = JSON.stringify(sealedBody ? withoutText : body);
    return {
      id,
      organisationId,
      ...target,
      type: body.type,
      resourceId,
      requestId,
      body: stored,
      sealedBody,
    };
  });
  if (rows.length > 0) await transaction.run(insertRows, rows);
  return rows.map(({ id }) => id);
}
