import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, sql } from '@gangan/database';
import { firstIdAt, newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { aDelivery, aMessage } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

describe('report reconcile', () => {
  const fixture = AdminFixture.use();
  let folder: string;
  let live: string;

  beforeAll(async () => {
    folder = await fixture.folder();
    const account = { name: 'Acme', sender: 'Acme' };
    const { organisations } = await createAccount(fixture.database, masterSealer([dataKey]), account);
    live = organisations.find(({ mode }) => mode === 'live')?.id ?? '';
    await accept('same', 3_500_000n);
    await accept('twice', 7_000_000n);
    await accept('dearer', 3_500_000n);
    await accept('unknown', null);
    await accept('unbilled', 3_500_000n);
    await accept('earlier', 3_500_000n, '2026-10-31T23:59:59Z');
    await accept('later', 3_500_000n, '2026-12-01T00:00:00Z');
    await accept('foreign', 3_500_000n, '2026-11-15T12:00:00Z', 'other');
  });

  async function accept(
    reference: string,
    micros: bigint | null,
    at = '2026-11-15T12:00:00Z',
    provider = 'termii',
  ) {
    const messageId = await aMessage(fixture.database, live, {});
    const id = `${firstIdAt(new Date(at)).slice(0, 18)}${newId().slice(18)}`;
    const own = { id, messageId, state: 'sent', provider, providerReference: reference } as const;
    await aDelivery(fixture.database, live, own);
    await fixture.database.execute(sql`
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, outcome, cost_micros, cost_currency)
      VALUES (${id}::uuid, 1, ${provider}, 'accepted', ${micros}, ${micros === null ? null : 'NGN'})`);
  }

  const run = async (bill: string, ...given: string[]) => {
    const file = join(folder, 'bill.csv');
    await writeFile(file, bill);
    const options = [
      '--provider',
      'termii',
      '--month',
      '2026-11',
      '--reference',
      'ID',
      '--price',
      'Cost',
      ...given,
    ];
    const result = await fixture.cli().run('report', 'reconcile', file, ...options, '--json');
    return { ...result, file: await readFile(`${file}.differences.csv`, 'utf8').catch(() => '') };
  };

  it('finds messages that only one side has, and different prices', async () => {
    const lines = [
      'same,3.50,ok',
      'twice,3.5,ok',
      'twice,"3.500000",ok',
      'dearer,-3.500001,ok',
      'unknown,NGN 4,ok',
    ];
    const others = ['earlier,3.5,ok', 'strange,9,failed', ',1,ok', 'same2,free,ok'];
    const { code, out, file } = await run(
      `ID,Cost,State\n${[...lines, ...others].join('\n')}\n`,
      '--status',
      'State',
    );
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { matched: 5, unreadable: 2, bill_only: 1, stored_only: 1, price: 1, unknown_cost: 1 },
    ]);
    const found = file.split('\n').map((line) => line.replace(/[0-9a-f-]{36}/, 'ID'));
    expect(found).toEqual([
      'kind,reference,line,delivery,billed,stored,billed_status,stored_status',
      'unreadable,,9,,1,,ok,',
      'unreadable,same2,10,,free,,ok,',
      'price,dearer,5,ID,NGN 3.500001,NGN 3.50,ok,sent',
      'bill_only,strange,8,,NGN 9.00,,failed,',
      'unknown_cost,unknown,6,ID,NGN 4.00,,ok,sent',
      'stored_only,unbilled,,ID,,NGN 3.50,,sent',
      '',
    ]);
  });

  it('replaces a file of an earlier run by one that only its owner can read', async () => {
    const output = join(folder, 'open.csv');
    await writeFile(output, 'an earlier run');
    await chmod(output, 0o644);
    await run('ID,Cost\n', '--output', output);
    expect((await stat(output)).mode & 0o777).toBe(0o600);
    expect(await readFile(output, 'utf8')).toMatch(/^kind,/);
  });

  it('does not write through a symbolic link', async () => {
    const [target, output] = [join(folder, 'target'), join(folder, 'link.csv')];
    await writeFile(target, 'other data');
    await symlink(target, output);
    const { code, err } = await run('ID,Cost\n', '--output', output);
    expect([code, err]).toEqual([1, expect.stringContaining(`${output} cannot be written`)]);
    expect(await readFile(target, 'utf8')).toBe('other data');
  });

  it('adds up the parts of a message with their own references, and distinguishes attempts', async () => {
    await accept('v-1', 2_000_000n, undefined, 'vonage');
    const [{ id } = { id: '' }] = await fixture.database.query<{ id: string }>(
      sql`SELECT id FROM delivery WHERE provider_reference = 'v-1'`,
    );
    const name = (reference: string, attempt: number, part: number) =>
      fixture.database.providerReference.create({
        data: { provider: 'vonage', reference, deliveryId: id, attempt, part },
      });
    await name('v-1', 1, 1);
    await name('v-2', 1, 2);
    const bill = async (...lines: string[]) => {
      const { code, out } = await run(`ID,Cost\n${lines.join('\n')}\n`, '--provider', 'vonage');
      return [code, JSON.parse(out) as object] as const;
    };
    expect(await bill('v-1,1', 'v-2,1')).toMatchObject([0, { matched: 1, differences: [] }]);
    expect((await bill('v-2,1'))[1]).toMatchObject({
      differences: [{ kind: 'price', reference: 'v-2', billed: 'NGN 1.00', stored: 'NGN 2.00' }],
    });
    // A second attempt that was accepted too is another message for the provider.
    await fixture.database.execute(sql`
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, outcome, cost_micros, cost_currency)
      VALUES (${id}::uuid, 2, 'vonage', 'accepted', 3000000, 'NGN')`);
    await name('v-3', 2, 1);
    expect((await bill('v-1,1', 'v-2,1', 'v-3,3'))[1]).toMatchObject({ matched: 2, differences: [] });
  });

  it('reports a reference that several messages share for all of them', async () => {
    await accept('shared', 2_000_000n, undefined, 'batches');
    await accept('shared', 2_000_000n, undefined, 'batches');
    const [first] = await fixture.database.query<{ id: string }>(
      sql`SELECT id FROM delivery WHERE provider_reference = 'shared' ORDER BY id`,
    );
    const reconcile = async () => {
      const { out } = await run('ID,Cost\nshared,2\n', '--provider', 'batches');
      return JSON.parse(out) as object;
    };
    const agreed = { matched: 1, stored_only: 0, differences: [] };
    // As of an earlier version, and with the one row that a reference has.
    expect(await reconcile()).toMatchObject(agreed);
    await fixture.database.providerReference.create({
      data: { provider: 'batches', reference: 'shared', deliveryId: first?.id ?? '', attempt: 1, part: 1 },
    });
    expect(await reconcile()).toMatchObject(agreed);
  });

  it('knows the currency of the provider: of its costs, else of its settings', async () => {
    const currencyOf = async (provider: string, ...given: string[]) => {
      const { out } = await run('ID,Cost\nx,1\n', '--provider', provider, ...given);
      const { currency, differences } = JSON.parse(out) as {
        currency: string;
        differences: { billed: string }[];
      };
      expect(differences.find(({ billed }) => billed !== '')?.billed).toBe(`${currency} 1.00`);
      return currency;
    };
    await fixture.database.provider.create({
      data: {
        id: newId(),
        name: 'infobip',
        kind: 'http',
        domains: ['message'],
        channels: ['sms'],
        settings: { cost: { currency: 'EUR', perPart: { any: 1 } } },
      },
    });
    expect(await currencyOf('infobip')).toBe('EUR');
    await accept('of-infobip', 1_000_000n, undefined, 'infobip');
    await fixture.database.execute(
      sql`UPDATE delivery_attempt SET cost_currency = 'USD' WHERE provider = 'infobip'`,
    );
    expect(await currencyOf('infobip')).toBe('USD');
    expect(await currencyOf('infobip', '--currency', 'GBP')).toBe('GBP');
    expect(await currencyOf('termii')).toBe('NGN');
  });

  it('exits with 0 if a bill agrees, even a long one with another separator', async () => {
    await fixture.database.execute(sql`
      UPDATE delivery_attempt SET cost_micros = 1000000, cost_currency = 'NGN' WHERE cost_micros IS NULL`);
    const parts = Array.from({ length: 7_000 }, () => 'twice;0.001');
    const lines = ['same;3.5', 'dearer;3.5', 'unknown;1', 'unbilled;3.5', ...parts];
    const { code, out } = await run(`ID;Cost\n${lines.join('\r\n')}`, '--separator', ';');
    expect([code, JSON.parse(out)]).toMatchObject([0, { matched: 5, stored_only: 0 }]);
  });

  it('refuses an unknown provider, a missing column and a missing file', async () => {
    expect((await run('A,B\n')).err).toContain('no column ID');
    expect((await run('ID,Cost\n', '--provider', 'unknown')).err).toContain('There is no provider unknown');
    const options = ['--provider', 'termii', '--month', '2026-11', '--reference', 'ID', '--price', 'Cost'];
    const missing = await fixture.cli().run('report', 'reconcile', join(folder, 'none.csv'), ...options);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be read')]);
  });
});
