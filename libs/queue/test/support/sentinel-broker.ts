import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, type TestRedis, until } from '@gangan/testing';
import { Redis } from 'ioredis';

/** A master, its replica, and a sentinel that can promote the replica. */
export class SentinelBroker {
  private constructor(
    readonly url: string,
    private readonly master: TestRedis,
    private readonly replica: TestRedis,
    private readonly sentinel: ChildProcess,
    private readonly sentinelPort: number,
    private readonly folder: string,
  ) {}

  static async start(): Promise<SentinelBroker> {
    const master = await startRedis();
    const replica = await startRedis({ settings: { replicaof: `127.0.0.1 ${master.port}` } });
    const folder = await mkdtemp(join(tmpdir(), 'gangan-sentinel-'));
    const port = await freePort();
    const config = join(folder, 'sentinel.conf');
    await writeFile(
      config,
      [
        `port ${port}`,
        `dir ${folder}`,
        `sentinel monitor orders 127.0.0.1 ${master.port} 1`,
        'sentinel down-after-milliseconds orders 1000',
        'sentinel failover-timeout orders 5000',
      ].join('\n'),
    );
    const sentinel = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' });
    const broker = new SentinelBroker(
      `redis-sentinel://127.0.0.1:${port}/orders`,
      master,
      replica,
      sentinel,
      port,
      folder,
    );
    await until('the sentinel knows the replica', () => broker.knowsReplica());
    return broker;
  }

  /** Ends the master; the sentinel makes the replica the new one. */
  loseMaster(): Promise<void> {
    return this.master.kill();
  }

  async stop(): Promise<void> {
    const ended = once(this.sentinel, 'exit');
    this.sentinel.kill('SIGKILL');
    await ended;
    await Promise.all([this.master.stop(), this.replica.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async knowsReplica(): Promise<boolean> {
    const client = new Redis({ port: this.sentinelPort, lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return ((await client.call('SENTINEL', 'REPLICAS', 'orders')) as unknown[]).length > 0;
    } catch {
      return false;
    } finally {
      client.disconnect();
    }
  }
}
