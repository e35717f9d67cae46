import type { EmbeddedServer } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import { setTimeout as sleep } from 'node:timers/promises';

/** Restarts the server whenever it ends by itself. Returns the function that stops it. */
export function watchPostgres(
  server: EmbeddedServer,
  say: (line: string) => void,
  intervalMs = 2_000,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async (): Promise<void> => {
    for (;;) {
      await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (await server.running()) continue;
        say('Postgres ended; starting it again');
        await server.restart();
        say('Postgres is ready again');
      } catch (error) {
        say(describeError(error));
      }
    }
  };
  const watching = watch();
  return async () => {
    stopping.abort();
    // A server that is being restarted would outlive us.
    await watching;
    await server.stop();
  };
}
