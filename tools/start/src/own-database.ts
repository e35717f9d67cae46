import { type EmbeddedServer, startEmbeddedPostgres } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import type { DataDir } from './data-dir.js';
import { StartError } from './start-error.js';

/** Our own Postgres, for those who have not named one. It is brought back when it ends by itself. */
export class OwnDatabase {
  private watch: NodeJS.Timeout | undefined;
  private stopping = false;
  private mending = Promise.resolve();

  constructor(
    private readonly server: EmbeddedServer,
    private readonly say: (line: string) => void,
    private readonly lookEveryMs = 2_000,
  ) {
    this.look();
  }

  static async start(data: DataDir, say: (line: string) => void): Promise<OwnDatabase> {
    try {
      const server = await startEmbeddedPostgres({
        dataDir: data.postgres,
        logFile: data.logOf('postgres'),
        log: say,
        // Room for seven processes with two pools each.
        settings: { max_connections: '150' },
      });
      return new OwnDatabase(server, say);
    } catch (error) {
      throw new StartError(describeError(error), { cause: error });
    }
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.watch);
    // What is just being started again would outlive us.
    await this.mending;
    await this.server.stop();
  }

  private look(): void {
    this.watch = setTimeout(() => {
      this.mending = this.mend();
    }, this.lookEveryMs);
  }

  private async mend(): Promise<void> {
    try {
      if (!(await this.server.running()) && !this.stopping) {
        this.say('Postgres ended; starting it again');
        await this.server.restart();
        this.say('Postgres is ready again');
      }
    } catch (error) {
      this.say(describeError(error));
    }
    if (!this.stopping) this.look();
  }
}
