import type { RedisOptions } from 'ioredis';

interface Address {
  readonly host: string;
  readonly port: number;
}

export type RedisTarget =
  | { readonly mode: 'single'; readonly options: RedisOptions }
  | { readonly mode: 'sentinel'; readonly options: RedisOptions }
  | { readonly mode: 'cluster'; readonly nodes: readonly Address[]; readonly options: RedisOptions };

const expected =
  'must be redis://host:6379/0, rediss://…, redis-sentinel://host:26379,host:26379/master or redis-cluster://host:6379,host:6379';

const pattern =
  /^(?<scheme>redis|rediss)(?:-(?<mode>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)(?:\/(?<path>[^?]*))?$/;
const addressPattern = /^(?:\[(?<ip6>[\da-f:.]+)\]|(?<host>[^\s:@#[\]]+))(?::(?<port>\d{1,5}))?$/i;
const databasePattern = /^\d{1,5}$/;

/** Says what is wrong with a URL, as the rest of a sentence that starts with the name of the variable. */
export function redisUrlFault(url: string): string | undefined {
  try {
    readRedisUrl(url);
    return undefined;
  } catch {
    return expected;
  }
}

/**
 * Reads `redis://[user:password@]host:port/db`, `redis-sentinel://host:port,host:port/master/db` and
 * `redis-cluster://host:port,host:port`; with `rediss` instead of `redis` for TLS.
 */
export function readRedisUrl(url: string): RedisTarget {
  const parts = pattern.exec(url)?.groups;
  if (!parts?.['hosts']) throw invalidUrl();
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
    if (db.db) throw invalidUrl();
    return { mode, nodes, options };
  }
  if (master !== undefined) {
    const tls = options.tls && { sentinelTLS: options.tls, enableTLSForSentinelMode: true };
    return { mode: 'sentinel', options: { ...options, ...tls, sentinels: [...nodes], name: master, ...db } };
  }
  const [only, another] = nodes;
  if (another) throw invalidUrl();
  return { mode: 'single', options: { ...options, ...only, ...db } };
}

const invalidUrl = (): Error => new Error(`REDIS_URL ${expected}`);

function readAddress(text: string, defaultPort: number): Address {
  const { ip6, host = ip6, port = defaultPort } = addressPattern.exec(text)?.groups ?? {};
  if (host === undefined || Number(port) > 65_535) throw invalidUrl();
  return { host, port: Number(port) };
}

function readDb([text, ...rest]: readonly string[]): { db?: number } {
  if (text === undefined) return {};
  if (!databasePattern.test(text) || rest.length > 0) throw invalidUrl();
  return { db: Number(text) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidUrl();
  }
}
