import type { BrokerKind } from '@gangan/testing';
import { migrateQueue, newQueueKey } from '@gangan/queue';
import pg from 'pg';
import { audit } from '../charge/audit.js';
import { createTables, resetTables } from '../charge/tables.js';
import { postRequest } from '../load/exchange.js';
import { BenchProcess } from '../processes/bench-process.js';
import { RunningVariant } from '../processes/running-variant.js';
import type { Measurement } from '../report/measurement.js';
import { type Variant, nameOf } from '../ways/variants.js';
import { type WaySettings, queuePool } from '../ways/way.js';
import { Servers } from '../environment/servers.js';
import type { TransportOptions } from './transport-options.js';

const maxWarmUpMs = 400;
const chargeRequests = [
  postRequest('/charge', { recipient: '2348031234567', content: 'Hello from the bench' }),
];

/** The servers, processes and load of one run. */
export class TransportRun {
  private readonly processes: BenchProcess[] = [];
  private readonly masterKey = newQueueKey();
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

  /** Starts a variant and warms it up. */
  async startVariant(variant: Variant): Promise<RunningVariant> {
    const running = await RunningVariant.start(variant, this.settingsFor(variant.broker), (process) => {
      this.processes.push(process);
    });
    await this.measure(running, Math.max(...this.options.connections), 0);
    return running;
  }

  /** @throws if the responses do not match the tables */
  async measure(running: RunningVariant, connections: number, round: number): Promise<Measurement> {
    const { variant, port } = running;
    await resetTables(this.auditor);
    const before = await running.cpu();
    const measureMs = this.options.seconds * 1_000;
    const load = {
      port,
      connections,
      warmUpMs: Math.min(maxWarmUpMs, measureMs),
      measureMs,
      requests: chargeRequests,
    };
    const { result } = await this.load.do({ do: 'load', load }, 'loaded');
    const after = await running.cpu();
    const uncertain = Object.values(result.others).reduce((sum, count) => sum + count, 0);
    if (variant.way !== 'fastify') {
      await audit(this.auditor, { succeeded: result.succeeded, uncertain }).catch((error: unknown) => {
        throw new Error(`${nameOf(variant)} at ${connections} connections: ${String(error)}`);
      });
    }
    const requests = result.succeeded + uncertain;
    return {
      ...result,
      variant,
      connections,
      round,
      gatewayCpu: (after.gateway - before.gateway) / requests,
      workerCpu: (after.worker - before.worker) / requests,
    };
  }

  /** Can be called twice: after a failure, and by an interrupt. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()));
    await this.auditor.end().catch(() => undefined);
    await this.servers.stop();
  }

  private settingsFor(broker: BrokerKind | undefined): WaySettings {
    const connection = this.servers.queueOn(broker ?? 'postgres', queuePool);
    const { tuning } = this.options;
    return {
      databaseUrl: this.servers.databaseUrl,
      queue: { connection, masterKey: this.masterKey, tuning },
    };
  }
}
