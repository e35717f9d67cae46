import { type EmbeddedServer, startEmbeddedPostgres } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataDir } from './data-dir.js';
import { StartError } from './settings.js';

/** The embedded Postgres, restarted whenever it ends by itself. */
export class WatchedPostgres {
  readonly url: string;
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;

  constructor(
    private readonly server: EmbeddedServer,
    private readonly say: (line: string) => void,
    private readonly intervalMs = 2_000,
  ) {
    this.url = server.url;
    this.watching = this.watch();
  }

  static async start(data: DataDir, say: (line: string) => void): Promise<WatchedPostgres> {
    // 150 connections are enough for seven processes with two pools each.
    const settings = { max_connections: '150' };
    const options = { dataDir: data.postgres, logFile: data.logOf('postgres'), log: say, settings };
    const server = await startEmbeddedPostgres(options).catch((error: unknown) => {
      throw new StartError(describeError(error), { cause: error });
    });
    return new WatchedPostgres(server, say);
  }

  /** Waits for a restart in progress; the restarted server would outlive us. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.server.stop();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await sleep(this.intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        if (await this.server.running()) continue;
        this.say('Postgres ended; starting it again');
        await this.server.restart();
        this.say('Postgres is ready again');
      } catch (error) {
        this.say(describeError(error));
      }
    }
  }
}
