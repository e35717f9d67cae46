import { migrateQueue, newQueueKey } from '@gangan/queue';
import pg from 'pg';
import { audit } from '../charge/audit.js';
import { createTables, resetTables } from '../charge/tables.js';
import { BenchProcess } from '../processes/bench-process.js';
import { Entrant } from '../processes/entrant.js';
import type { Measurement } from '../report/measurement.js';
import { type Contestant, nameOf } from '../ways/contestants.js';
import { type BrokerKind, type Place, queuePool } from '../ways/way.js';
import { Servers } from '../stage/servers.js';
import type { TransportOptions } from './transport-options.js';

const mostWarmUpMs = 400;

/** Servers, processes and the load, from their start to their end. */
export class TransportRun {
  private readonly processes: BenchProcess[] = [];
  private readonly keys = [newQueueKey()];
  private readonly load: BenchProcess;
  private closed?: Promise<void>;

  private constructor(
    private readonly servers: Servers,
    private readonly auditor: pg.Client,
    private readonly options: TransportOptions,
  ) {
    this.load = new BenchProcess('The load generator');
    this.processes.push(this.load);
  }

  static async start(options: TransportOptions): Promise<TransportRun> {
    const servers = await Servers.start(options.on);
    const auditor = new pg.Client({ connectionString: servers.databaseUrl });
    await auditor.connect();
    await createTables(auditor);
    await migrateQueue(servers.databaseUrl);
    return new TransportRun(servers, auditor, options);
  }

  /** Starts a contestant and lets it run itself warm. */
  async enter(contestant: Contestant): Promise<Entrant> {
    const entrant = await Entrant.start(contestant, this.redactUrl(contestant.broker), (process) => {
      this.processes.push(process);
    });
    await this.measure(entrant, Math.max(...this.options.connections), 0);
    return entrant;
  }

  /** @throws when what was answered is not what was done */
  async measure(entrant: Entrant, connections: number, round: number): Promise<Measurement> {
    const { contestant, port } = entrant;
    await resetTables(this.auditor);
    const before = await entrant.cpu();
    const measureMs = this.options.seconds * 1_000;
    const load = { port, connections, warmUpMs: Math.min(mostWarmUpMs, measureMs), measureMs };
    const { result } = await this.load.do({ do: 'load', load }, 'loaded');
    const after = await entrant.cpu();
    const uncertain = Object.values(result.others).reduce((sum, count) => sum + count, 0);
    if (contestant.way !== 'fastify') {
      await audit(this.auditor, { succeeded: result.succeeded, uncertain }).catch((error: unknown) => {
        throw new Error(`${nameOf(contestant)} at ${connections} connections: ${String(error)}`);
      });
    }
    const requests = result.succeeded + uncertain;
    return {
      ...result,
      contestant,
      connections,
      round,
      gatewayCpu: (after.gateway - before.gateway) / requests,
      workerCpu: (after.worker - before.worker) / requests,
    };
  }

  /** May be called from where the work goes wrong and from where the user loses patience, at once. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.auditor.end().catch(() => undefined);
    await this.servers.stop();
  }

  private redactUrl(broker: BrokerKind | undefined): Place {
    const connection = this.servers.queueOn(broker ?? 'postgres', queuePool);
    const { tuning } = this.options;
    return { databaseUrl: this.servers.databaseUrl, queue: { connection, keys: this.keys, tuning } };
  }
}
