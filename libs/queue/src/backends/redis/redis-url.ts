import type { RedisOptions } from 'ioredis';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a `REDIS_URL` asks for, in the four ways Redis is run. */
export type RedisTarget =
  | { readonly mode: 'single'; readonly options: RedisOptions }
  | { readonly mode: 'sentinel'; readonly options: RedisOptions }
  | { readonly mode: 'cluster'; readonly nodes: readonly Address[]; readonly options: RedisOptions };

const EXPECTED =
  'must be redis://host:6379/0, rediss://…, redis-sentinel://host:26379,host:26379/master or redis-cluster://host:6379,host:6379';

const PATTERN =
  /^(?<scheme>redis|rediss)(?:-(?<mode>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)(?:\/(?<path>[^?]*))?$/;
const ADDRESS = /^(?:\[(?<ip6>[\da-f:.]+)\]|(?<host>[^\s:@#[\]]+))(?::(?<port>\d{1,5}))?$/i;
const DATABASE = /^\d{1,5}$/;

/** What is wrong with it, to be read after its name. */
export function redisUrlFault(url: string): string | undefined {
  try {
    readRedisUrl(url);
    return undefined;
  } catch {
    return EXPECTED;
  }
}

/**
 * Reads `redis://[user:password@]host:port/db` and its kin: `rediss:` for TLS,
 * `redis-sentinel://host:port,host:port/master/db`, `redis-cluster://host:port,host:port`.
 */
export function readRedisUrl(url: string): RedisTarget {
  const parts = PATTERN.exec(url)?.groups;
  if (!parts?.['hosts']) throw notUnderstood();
  const mode = parts['mode'];
  const nodes = parts['hosts']
    .split(',')
    .map((host) => readAddress(host, mode === 'sentinel' ? 26_379 : 6_379));
  const path = (parts['path'] ?? '').split('/').filter((part) => part !== '');
  const options: RedisOptions = {
    ...(parts['user'] && { username: decoded(parts['user']) }),
    ...(parts['password'] && { password: decoded(parts['password']) }),
    ...(parts['scheme'] === 'rediss' && { tls: {} }),
  };
  const master = mode === 'sentinel' ? (path.shift() ?? 'mymaster') : undefined;
  const db = readDb(path);
  if (mode === 'cluster') {
    if (db.db) throw notUnderstood();
    return { mode, nodes, options };
  }
  if (master !== undefined) {
    const tls = options.tls && { sentinelTLS: options.tls, enableTLSForSentinelMode: true };
    return { mode: 'sentinel', options: { ...options, ...tls, sentinels: [...nodes], name: master, ...db } };
  }
  const [only, another] = nodes;
  if (another) throw notUnderstood();
  return { mode: 'single', options: { ...options, ...only, ...db } };
}

const notUnderstood = (): Error => new Error(`REDIS_URL ${EXPECTED}`);

function readAddress(text: string, defaultPort: number): Address {
  const { ip6, host = ip6, port = defaultPort } = ADDRESS.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) > 65_535) throw notUnderstood();
  return { host, port: Number(port) };
}

function readDb([text, ...rest]: readonly string[]): { db?: number } {
  if (text === undefined) return {};
  if (!DATABASE.test(text) || rest.length > 0) throw notUnderstood();
  return { db: Number(text) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notUnderstood();
  }
}
