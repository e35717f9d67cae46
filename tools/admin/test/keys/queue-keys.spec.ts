import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allContracts } from '@gangan/contracts';
import { appNames } from '@gangan/protocol';
import { AppKeys, deriveQueueKeys, newQueueKey } from '@gangan/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminCli, type Outcome } from '../support/admin-cli.js';

const master = newQueueKey();

describe('pnpm admin queues keys', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (environment: Record<string, string>, ...args: string[]): Promise<Outcome> =>
    new AdminCli(() => environment).run('queues', 'keys', ...args);

  it('prints a line for each app, without a database and without the master key', async () => {
    const { code, out, err } = await run({ QUEUE_MASTER_KEY: master });
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain(master);
    const lines = appNames.map(
      (app) => `${app.toUpperCase()}_QUEUE_KEYS=${deriveQueueKeys([master], app, allContracts)}`,
    );
    expect(out).toBe(`${lines.join('\n')}\n`);
  });

  it('prints the value for one app, which its app reads', async () => {
    const { out } = await run({ QUEUE_MASTER_KEY: master }, '--app', 'contacts');
    expect(AppKeys.parse(out)?.names).toEqual([
      'contacts/contacts-events',
      'gateway/contacts',
      'gateway/contacts-alone',
      'gateway/contacts-events',
      'lookup/contacts-alone',
      'messaging/contacts-alone',
    ]);
  });

  it('prints two keys each while the master key is replaced', async () => {
    const masters = [master, newQueueKey()];
    const { out } = await run({ QUEUE_MASTER_KEY: masters.join() }, '--app', 'callback');
    expect(out).toBe(`${deriveQueueKeys(masters, 'callback', allContracts)}\n`);
  });

  it('prefers the given master key to that of pnpm start, which it reads otherwise', async () => {
    await writeFile(join(folder, 'queue-master.key'), `${master}\n`);
    const ownOf = async (environment: Record<string, string>): Promise<string> =>
      (await run({ GANGAN_DATA_DIR: folder, ...environment }, '--app', 'otp')).out;
    const other = newQueueKey();
    expect(await ownOf({})).toBe(`${deriveQueueKeys([master], 'otp', allContracts)}\n`);
    expect(await ownOf({ QUEUE_MASTER_KEY: other })).toBe(
      `${deriveQueueKeys([other], 'otp', allContracts)}\n`,
    );
  });

  it('says which key is missing, or cannot be used', async () => {
    expect(await run({})).toMatchObject({ code: 1, err: expect.stringContaining('set QUEUE_MASTER_KEY') });
    expect(await run({ QUEUE_MASTER_KEY: 'c2hvcnQ=' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('QUEUE_MASTER_KEY must be one key, or two'),
    });
  });

  it('refuses the key of version 0.2, which every app has', async () => {
    const reused = { QUEUE_MASTER_KEY: `${newQueueKey()},${master}`, QUEUE_KEY: master };
    expect(await run(reused)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('use a new key'),
    });
    await writeFile(join(folder, 'queue-0.2.key'), `${master}\n`);
    const kept = { GANGAN_DATA_DIR: folder, QUEUE_MASTER_KEY: master };
    expect(await run(kept)).toMatchObject({ code: 1, err: expect.stringContaining('use a new key') });
  });
});
