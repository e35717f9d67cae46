import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

export const closeGraceMs = 1_000;

/** @returns `false` if the promise is still pending after the time limit for closing */
export const endsInTime = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    pause(closeGraceMs, false, { ref: false }),
  ]);

/** Closes the socket at once. A client that was not ended emits `error`, so that its users renew it. */
export function breakConnection(client: pg.Client, reason: Error): void {
  client.connection.stream.destroy(reason);
}

/** Closes a connection. Does not wait long for a server that does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  if (await endsInTime(client.end())) return;
  breakConnection(client, new Error('The server did not close the connection in time'));
}
