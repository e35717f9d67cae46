import { freePort } from '@gangan/embedded-postgres';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CleanUp } from '../clean-up.js';
import { until } from '../until.js';

export interface RedisOptions {
  readonly port?: number;
  /** Keeps the data over a restart. */
  readonly appendOnly?: boolean;
  readonly settings?: Record<string, string>;
}

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

export async function startRedis(options: RedisOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gangan-redis-'));
  const pidFile = join(folder, 'redis.pid');
  const cleanUp = new CleanUp(folder, [pidFile]);
  const port = options.port ?? (await freePort());
  const settings: Record<string, string> = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    pidfile: pidFile,
    save: '',
    appendonly: options.appendOnly ? 'yes' : 'no',
    ...options.settings,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  let server: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    server = spawn('redis-server', args, { cwd: folder, stdio: 'ignore' });
    await untilReady(server, port);
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };

  try {
    await start();
  } catch (error) {
    await end('SIGKILL');
    await cleanUp.done();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    /** Sends one command, such as `CONFIG GET save`, and returns the raw reply. */
    command: (command: string) => redisCommand(port, command),
    flush: async () => {
      await redisCommand(port, 'FLUSHALL');
    },
    /** Stops the server if it runs, and starts it on the same port. */
    restart: async () => {
      await end('SIGTERM');
      await start();
    },
    kill: () => end('SIGKILL'),
    /** Stops the server and removes its folder. */
    stop: async () => {
      await end('SIGKILL');
      await cleanUp.done();
    },
  };
}

async function untilReady(server: ChildProcess, port: number): Promise<void> {
  const failed = once(server, 'error').then(([error]) => {
    throw error as Error;
  });
  const ready = until(`redis-server answers on port ${port}`, async () => {
    if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}`);
    return (await redisCommand(port, 'PING').catch(() => '')).startsWith('+PONG');
  });
  await Promise.race([failed, ready]);
}

/** Sends one command and returns the raw reply (`+PONG`, `:1`, `$…`). */
const redisCommand = (port: number, command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let reply = '';
    socket.setEncoding('utf8');
    socket.once('error', reject);
    socket.once('connect', () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.on('data', (chunk: string) => (reply += chunk));
    socket.once('close', () => {
      if (reply.startsWith('-')) reject(new Error(`Redis refused ${command.slice(0, 40)}: ${reply.trim()}`));
      else if (reply === '') reject(new Error(`Redis on port ${port} closed the connection`));
      else resolve(reply);
    });
  });

export const redisAvailable = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'redis-server')));

type Describe = ((name: string, tests: () => void) => void) & { skip: Describe };

/** `describe` if `redis-server` exists; otherwise the tests are skipped with a visible warning. */
export function describeWithRedis(name: string, tests: () => void): void {
  // Jest's own module exists only inside Jest, and this library is also used outside it.
  const { describe } = globalThis as unknown as { describe: Describe };
  if (redisAvailable) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`\n  !!  SKIPPED: "${name}" needs redis-server, which is not on the PATH  !!\n\n`);
  describe.skip(name, tests);
}
