import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { defineConfig, InvalidConfig, readConfig } from './define-config.js';
import { HttpConfig, RuntimeConfig } from './runtime-config.js';
import { bool } from './validators.js';

const key = Buffer.alloc(32, 7).toString('base64');
const keys = `gateway/otp:${key}`;
const usable = { DATABASE_URL: 'postgres://user:hunter2@db/gangan', QUEUE_KEYS: keys };

class OwnConfig extends defineConfig({
  OWN_SWITCH: bool({ default: false, desc: 'Something of one app' }),
}) {}

const read = (environment: NodeJS.ProcessEnv) =>
  readConfig([RuntimeConfig, HttpConfig, OwnConfig], environment);

const faultsOf = (environment: NodeJS.ProcessEnv) => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof InvalidConfig) return error.faults;
    throw error;
  }
  return [];
};

describe('readConfig', () => {
  it('returns the typed values of each class', () => {
    const values = read({ ...usable, OWN_SWITCH: 'true', PORT: '0', UNRELATED: 'x' });
    const runtime = values.of(RuntimeConfig);
    expect(runtime).toBeInstanceOf(RuntimeConfig);
    expect(runtime.isProduction).toBe(false);
    expect(runtime.QUEUE_KEYS.of('gateway', 'otp')).toEqual([key]);
    expect(runtime.REDIS_URL).toBeUndefined();
    expect(values.of(OwnConfig)).toMatchObject({ OWN_SWITCH: true });
    expect(values.of(HttpConfig)).toMatchObject({ HOST: '0.0.0.0', PORT: 0 });
  });

  it('cannot be changed afterwards', () => {
    const http = read(usable).of(HttpConfig) as { PORT: number };
    expect(() => (http.PORT = 1)).toThrow(TypeError);
  });

  it('shows no value when it is written as JSON', () => {
    expect(JSON.stringify(read(usable).of(HttpConfig))).toBe('["HOST","PORT","SHUTDOWN_DELAY_SECONDS"]');
  });

  it('treats a blank value as absent', () => {
    expect(faultsOf({ ...usable, REDIS_URL: '', PORT: ' ' })).toEqual([]);
    expect(faultsOf({ ...usable, QUEUE_KEYS: '' })).toMatchObject([
      { name: 'QUEUE_KEYS', problem: 'is missing' },
    ]);
  });

  it('reads secrets from files, and names what is wrong with one, once and without its content', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gangan-config-'));
    const file = join(folder, 'key');
    writeFileSync(file, `${keys}\n`);
    const { DATABASE_URL } = usable;
    const { QUEUE_KEYS } = read({ DATABASE_URL, QUEUE_KEYS_FILE: file }).of(RuntimeConfig);
    expect(QUEUE_KEYS.names).toEqual(['gateway/otp']);
    expect(faultsOf({ ...usable, QUEUE_KEYS_FILE: file })).toMatchObject([
      { name: 'QUEUE_KEYS_FILE', problem: 'and QUEUE_KEYS are both set: unset one' },
    ]);
    expect(faultsOf({ DATABASE_URL_FILE: 'hunter2', QUEUE_KEYS_FILE: folder, PORT: 'x' })).toMatchObject([
      { name: 'DATABASE_URL_FILE', problem: 'names a file that cannot be read (ENOENT)' },
      { name: 'QUEUE_KEYS_FILE', problem: 'names a file that cannot be read (EISDIR)' },
      { name: 'PORT' },
    ]);
    writeFileSync(file, 'hunter2');
    const [fault] = faultsOf({ DATABASE_URL, QUEUE_KEYS_FILE: file });
    expect(fault).toMatchObject({ name: 'QUEUE_KEYS' });
    expect(new InvalidConfig(fault ? [fault] : []).print('otp')).not.toContain('hunter2');
    rmSync(folder, { recursive: true });
  });

  it('reads no file for a variable that is not secret', () => {
    expect(read({ ...usable, PORT_FILE: '/missing' }).of(HttpConfig).PORT).toBe(3000);
  });

  it('reports all faults at once, without a secret', () => {
    const faults = faultsOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      QUEUE_KEYS: 'c2hvcnQ=',
      LOG_LEVEL: 'loud',
      METRICS_PORT: '70000',
      PUBLIC_URL: 'example.com',
      OWN_SWITCH: 'maybe',
    });
    const printed = new InvalidConfig(faults).print('otp');
    expect(faults.map(({ name }) => name).sort()).toEqual([
      'DATABASE_URL',
      'LOG_LEVEL',
      'METRICS_PORT',
      'OWN_SWITCH',
      'PUBLIC_URL',
      'QUEUE_KEYS',
    ]);
    expect(printed).toContain('otp cannot start. 6 environment variables need your attention');
    expect(printed).toContain('DATABASE_URL must be a URL that starts with postgresql:// or postgres://');
    expect(printed).toContain('LOG_LEVEL must be one of: fatal, error, warn, info, debug, trace, silent');
    expect(printed).toContain('Example: postgresql://gangan:secret@localhost:5432/gangan');
    expect(printed).not.toMatch(/hunter2|c2hvcnQ/);
  });

  it('refuses to simulate providers for live organisations in production', () => {
    const simulating = { ...usable, SIMULATE_LIVE: 'true' };
    expect(faultsOf({ ...simulating, NODE_ENV: 'production' })).toMatchObject([
      { name: 'SIMULATE_LIVE', problem: expect.stringMatching(/^must not be true with NODE_ENV=production/) },
    ]);
    expect(faultsOf({ ...simulating, NODE_ENV: 'development' })).toEqual([]);
    expect(faultsOf({ ...usable, NODE_ENV: 'production', SIMULATE_LIVE: 'false' })).toEqual([]);
  });

  it.each(['1.5', '-1', '0x10', '1e3', ' 1', ''.padEnd(20, '9')])('rejects %j as a pool size', (value) => {
    expect(faultsOf({ ...usable, DATABASE_POOL_SIZE: value })).toHaveLength(1);
  });

  it.each([keys, `${keys}:${key}`, `${keys},otp/delivery-events:${key}`])(
    'accepts the queue keys %s',
    (value) => {
      expect(faultsOf({ ...usable, QUEUE_KEYS: value })).toEqual([]);
    },
  );

  it.each([key, `${key},${key}`, `${keys}:${key}:${key}`, keys.replace('=', '')])(
    'rejects the queue keys %s',
    (value) => {
      expect(faultsOf({ ...usable, QUEUE_KEYS: value })).toHaveLength(1);
    },
  );

  it.each([
    'redis://localhost',
    'rediss://:pw@host:6380/2',
    'redis-sentinel://:pw@a:26379,b:26379,c:26379/mymaster',
    'rediss-sentinel://:pw@a:26379,b:26379/mymaster/1',
    'redis-cluster://a:1,b:2,c:3',
    'rediss-cluster://a:1,b:2,c:3',
  ])('accepts %s as the Redis', (value) => {
    expect(faultsOf({ ...usable, REDIS_URL: value })).toEqual([]);
  });

  it.each([
    ...['localhost:6379', 'http://localhost', 'redis://', 'redis', 'redis://host/orders', 'redis://host/0/1'],
    ...['redis://:100%@host', 'redis://host?db=1', 'redis-cluster://a:1,b:99999', 'redis-cluster://a:1,,b:2'],
    'redis-cluster://a:1/2',
  ])('rejects %s as the Redis', (value) => {
    expect(faultsOf({ ...usable, REDIS_URL: value })).toHaveLength(1);
  });

  it('rejects several hosts as the database, which the driver does not support', () => {
    expect(faultsOf({ ...usable, DATABASE_URL: 'postgresql://a:5432,b:5432/gangan' })).toHaveLength(1);
  });

  it('removes the trailing slash of the public address', () => {
    const runtime = read({ ...usable, PUBLIC_URL: 'https://sms.example.com/base/' }).of(RuntimeConfig);
    expect(runtime).toMatchObject({ PUBLIC_URL: 'https://sms.example.com/base' });
    expect(faultsOf({ ...usable, PUBLIC_URL: 'https://a.example?x=1' })).toHaveLength(1);
  });
});
