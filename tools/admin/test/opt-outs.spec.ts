import { createAccount } from '@gangan/database';
import { DataSealer } from '@gangan/sealing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

describe('the import of opt-outs', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({});
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-opt-outs-'));
    await createAccount(fixture.database, new DataSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
  });
  afterAll(() => rm(folder, { recursive: true }));

  const file = async (...lines: string[]): Promise<string> => {
    const path = join(folder, 'opt-outs.csv');
    await writeFile(path, lines.join('\n'));
    return path;
  };
  const stored = async () =>
    (await fixture.database.optOut.findMany({ orderBy: { id: 'asc' } })).map(
      ({ phone, channel, source }) => `${phone} ${channel} ${source}`,
    );

  it('adds each number once and lists bad lines', async () => {
    const path = await file(
      'phone,reason',
      '08031234567,STOP',
      '',
      'nonsense',
      '+234 803 123 4567',
      '08031234568',
    );
    expect(await admin.json('optouts', 'import', 'acme/live', path)).toMatchObject({
      channel: 'sms',
      lines: 4,
      rejected: 1,
      added: 2,
    });
    expect(await stored()).toEqual(['+2348031234567 sms import', '+2348031234568 sms import']);
    expect(await readFile(`${path}.rejected.csv`, 'utf8')).toBe(
      'line,reason\n4,"the first column is not a phone number"\n',
    );
    expect(await admin.json('optouts', 'import', 'acme/live', path)).toMatchObject({ added: 0 });
    expect(await admin.json('optouts', 'import', 'acme/live', path, '--channel', 'whatsapp')).toMatchObject({
      added: 2,
    });
  });

  it('refuses a file without numbers', async () => {
    const before = await stored();
    const path = await file('name', 'Ada');
    expect(await admin.run('optouts', 'import', 'acme/live', path)).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no phone numbers'),
    });
    expect(await admin.run('optouts', 'import', 'acme/live', join(folder, 'missing.csv'))).toMatchObject({
      code: 1,
    });
    expect(await stored()).toEqual(before);
  });
});
