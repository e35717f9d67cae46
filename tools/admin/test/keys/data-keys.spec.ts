import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveDataKeys, NamedKeys, newSealingKey } from '@gangan/sealing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminCli, type Outcome } from '../support/admin-cli.js';

const master = newSealingKey();

describe('pnpm admin secrets keys', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (environment: Record<string, string>, ...args: string[]): Promise<Outcome> =>
    new AdminCli(() => environment).run('secrets', 'keys', ...args);

  it('prints a line for each app that stores secrets, without a database and without the master key', async () => {
    const { code, out, err } = await run({ DATA_MASTER_KEY: master });
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toContain(master);
    const lines = ['messaging', 'otp', 'airtime', 'lookup', 'callback'].map(
      (app) => `${app.toUpperCase()}_DATA_KEYS=${deriveDataKeys([master], app)}`,
    );
    expect(out).toBe(`${lines.join('\n')}\n`);
  });

  it('prints the value for one app, with two keys each while the master key is replaced', async () => {
    const masters = [master, newSealingKey()];
    const { out } = await run({ DATA_MASTER_KEY: masters.join() }, '--app', 'otp');
    const keys = NamedKeys.parse(out);
    expect(keys?.names).toEqual(['otp/deliveries', 'otp/tokens']);
    expect(keys?.of('otp/tokens')).toHaveLength(2);
    expect(await run({ DATA_MASTER_KEY: master }, '--app', 'gateway')).toMatchObject({ code: 2 });
  });

  it('reads the master key of pnpm start, and says if there is none or it cannot be used', async () => {
    await writeFile(join(folder, 'data-master.key'), `${master}\n`);
    const kept = { GANGAN_DATA_DIR: folder, DATA_MASTER_KEY: '' };
    expect((await run(kept, '--app', 'otp')).out).toBe(`${deriveDataKeys([master], 'otp')}\n`);
    expect(await run({ DATA_MASTER_KEY: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('set DATA_MASTER_KEY'),
    });
    expect(await run({ DATA_MASTER_KEY: 'c2hvcnQ=' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('DATA_MASTER_KEY must be one key, or two'),
    });
  });
});
