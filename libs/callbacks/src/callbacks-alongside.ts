import { type Sql, sql, unnest } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { hostOf, type NewCallback } from './callbacks.js';

/** A callback that is stored if a part of the statement returns its delivery. */
export interface DeliveryCallback extends NewCallback {
  readonly deliveryId: string;
}

/**
 * Parts of a WITH clause that do what `recordCallbacks` does, for a statement that stores what they report: those whose
 * `deliveryId` is an `id` in `happened`. The callback worker finds them within a second.
 */
export function callbacksAlongside(callbacks: readonly DeliveryCallback[], happened: Sql): Sql {
  const rows = callbacks.map(({ body, url, ...callback }) => ({
    ...callback,
    url,
    host: url === null ? null : hostOf(url),
    type: body.type,
    body: JSON.stringify(body),
  }));
  return sql`new_callback AS MATERIALIZED (
    SELECT new.* FROM ${unnest('new', rows, {
      uuid: ['deliveryId', 'organisationId', 'resourceId'],
      text: ['url', 'host', 'type', 'body', 'requestId'],
    })} JOIN ${happened} AS happened ON happened.id = new.delivery_id
  ), to_urls AS (
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, due_since, next_attempt_at)
    SELECT uuidv7(), organisation_id, type, resource_id, url, host, body, request_id, ${dueNow}, ${dueNow}
    FROM new_callback WHERE url IS NOT NULL
  ), to_endpoints AS (
    INSERT INTO callback (id, organisation_id, endpoint_id, type, resource_id, url, host, body, request_id, due_since,
      next_attempt_at)
    SELECT uuidv7(), endpoint.organisation_id, endpoint.id, type, resource_id, endpoint.url, endpoint.host, body,
      request_id, ${dueNow}, ${dueNow}
    FROM new_callback CROSS JOIN LATERAL (
      SELECT id, organisation_id, url, host FROM callback_endpoint
      WHERE callback_endpoint.organisation_id = new_callback.organisation_id AND enabled
        AND new_callback.type = ANY (events)
      OFFSET 0) AS endpoint)`;
}
