import type { CallbackBody } from '@gangan/contracts';
import { command, sql, type SqlRunner, statement, t } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newId, parseUrl } from '@gangan/protocol';

export interface NewCallback {
  readonly organisationId: string;
  /** What the callback is about: a message, a purchase … */
  readonly resourceId: string;
  /** The HTTP request that caused it. */
  readonly requestId: string;
  /** The callback URL of the request; null if it has none. */
  readonly url: string | null;
  /** Whether the organisation has endpoints: see `endpoints.ts`. */
  readonly hasEndpoints: boolean;
  readonly body: CallbackBody;
}

interface CallbackWithUrl extends NewCallback {
  readonly url: string;
}

const insertCallbacks = command(
  (ids: readonly string[], callbacks: readonly CallbackWithUrl[]) => sql`
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, due_since,
      next_attempt_at)
    SELECT id, organisation_id, type, resource_id, url, host, body, request_id, ${dueNow}, ${dueNow}
    FROM unnest(${ids}::uuid[],
      ${callbacks.map(({ organisationId }) => organisationId)}::uuid[],
      ${callbacks.map(({ body }) => body.type)}::text[],
      ${callbacks.map(({ resourceId }) => resourceId)}::uuid[],
      ${callbacks.map(({ url }) => url)}::text[],
      ${callbacks.map(({ url }) => hostOf(url))}::text[],
      ${callbacks.map(({ body }) => JSON.stringify(body))}::text[],
      ${callbacks.map(({ requestId }) => requestId)}::text[])
      AS new (id, organisation_id, type, resource_id, url, host, body, request_id)`,
);

/** Inserts one callback for each endpoint that receives the type. */
const insertForEndpoints = statement(
  { id: t.uuid },
  (callbacks: readonly NewCallback[]) => sql`
    INSERT INTO callback (id, organisation_id, endpoint_id, type, resource_id, url, host, body, request_id, due_since,
      next_attempt_at)
    SELECT uuidv7(), endpoint.organisation_id, endpoint.id, type, resource_id, url, host, body, request_id, ${dueNow},
      ${dueNow}
    FROM unnest(
      ${callbacks.map(({ organisationId }) => organisationId)}::uuid[],
      ${callbacks.map(({ body }) => body.type)}::text[],
      ${callbacks.map(({ resourceId }) => resourceId)}::uuid[],
      ${callbacks.map(({ body }) => JSON.stringify(body))}::text[],
      ${callbacks.map(({ requestId }) => requestId)}::text[])
      AS new (organisation_id, type, resource_id, body, request_id)
    CROSS JOIN LATERAL (
      SELECT id, organisation_id, url, host FROM callback_endpoint
      WHERE callback_endpoint.organisation_id = new.organisation_id AND enabled AND new.type = ANY (events)
      OFFSET 0) AS endpoint
    RETURNING id`,
);

/**
 * Stores callbacks in the transaction of the change they report, so that both are committed or neither: one to the
 * callback URL of the request, and one to each endpoint that receives the type. The callback worker delivers the rows.
 * @returns the ids of the rows, for `CallbackAnnouncer.announce` after the commit
 */
export async function recordCallbacks(
  transaction: SqlRunner,
  callbacks: readonly NewCallback[],
): Promise<string[]> {
  const toUrls = callbacks.filter(hasUrl);
  const ids = toUrls.map(() => newId());
  if (toUrls.length > 0) await transaction.run(insertCallbacks, ids, toUrls);
  const toEndpoints = callbacks.filter(({ hasEndpoints }) => hasEndpoints);
  if (toEndpoints.length === 0) return ids;
  const stored = await transaction.run(insertForEndpoints, toEndpoints);
  return [...ids, ...stored.map(({ id }) => id)];
}

const hasUrl = (callback: NewCallback): callback is CallbackWithUrl => callback.url !== null;

/** An invalid URL is never called, so its host does not matter. */
export function hostOf(url: string): string {
  return parseUrl(url)?.host ?? '';
}
