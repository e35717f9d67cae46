import { type CallbackBody, callbackDue } from '@gangan/contracts';
import { command, sql, type SqlRunner } from '@gangan/database';
import { Announcer, dueNow } from '@gangan/leases';
import { newId, parseUrl } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

export interface NewCallback {
  readonly organisationId: string;
  /** The message or purchase it reports. */
  readonly resourceId: string;
  /** The HTTP request that caused it. */
  readonly requestId: string;
  readonly url: string;
  readonly body: CallbackBody;
}

const insertCallbacks = command(
  (ids: readonly string[], callbacks: readonly NewCallback[]) => sql`
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

/**
 * Stores callbacks in the transaction of the change they report, so that both are committed or neither. The callback
 * worker delivers the rows.
 * @returns the ids of the rows, for `CallbackAnnouncer.announce` after the commit
 */
export async function recordCallbacks(
  transaction: SqlRunner,
  callbacks: readonly NewCallback[],
): Promise<string[]> {
  if (callbacks.length === 0) return [];
  const ids = callbacks.map(() => newId());
  await transaction.run(insertCallbacks, ids, callbacks);
  return ids;
}

/** An invalid URL is never called, so its host does not matter. */
function hostOf(url: string): string {
  return parseUrl(url)?.host ?? '';
}

/** Announces stored callbacks to the callback worker. */
@Injectable()
export class CallbackAnnouncer {
  private readonly announcer: Announcer;

  constructor(queue: QueueClient, logger: AppLogger) {
    this.announcer = new Announcer(queue, logger);
  }

  /** Call it after the commit. Never fails: the worker finds due callbacks that were not announced. */
  announce(ids: readonly string[]): Promise<void> {
    return this.announcer.announce(
      callbackDue,
      ids.map((id) => ({ id })),
    );
  }
}
