import type { EmbeddedServer } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import { setTimeout as sleep } from 'node:timers/promises';

/** Restarts the server whenever it ends by itself. Returns the function that stops it. */
export function watchPostgres(
  server: Pick<EmbeddedServer, 'running' | 'restart' | 'stop'>,
  say: (line: string) => void,
  intervalMs = 2_000,
): () => Promise<void> {
  const stopping = new AbortController();
  const check = async (): Promise<void> => {
    if (await server.running()) return;
    say('Postgres ended; starting it again');
    await server.restart();
    say('Postgres is ready again');
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      // Rejects when the watch is stopped.
      await sleep(intervalMs, undefined, stopping);
      await check().catch((error: unknown) => {
        say(describeError(error));
      });
    }
  };
  const watching = watch().catch(() => undefined);
  return async () => {
    stopping.abort();
    // A server that is being restarted would outlive us.
    await watching;
    await server.stop();
  };
}
