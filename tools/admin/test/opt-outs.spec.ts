import { createAccount } from '@gangan/database';
import { masterSealer } from '@gangan/sealing';
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
    await createAccount(fixture.database, masterSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
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

describe('the keywords of an organisation', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli({});
  beforeAll(async () => {
    await createAccount(fixture.database, masterSealer([dataKey]), { name: 'Acme', sender: 'Acme' });
  });

  const show = () => admin.json('optouts', 'show', 'acme/live');
  const set = (...args: string[]) => admin.json('optouts', 'set', 'acme/live', ...args);

  it('are changed one by one, and reset', async () => {
    const none = { stop_words: 'none of its own', help_text: 'none: HELP is not answered' };
    expect(await show()).toEqual(none);
    expect(await set('--stop-words', 'Arrêter, tamam ,arreter')).toEqual({
      ...none,
      stop_words: 'ARRETER, TAMAM',
    });
    const both = { stop_words: 'ARRETER, TAMAM', help_text: 'Call 0700' };
    expect(await set('--help-text', 'Call 0700')).toEqual(both);
    expect(await show()).toEqual(both);
    const stored = await fixture.database.organisation.findFirstOrThrow({ where: { mode: 'live' } });
    expect(stored.settings).toEqual({
      opt_out: { stop_words: ['Arrêter', 'tamam', 'arreter'], help_text: 'Call 0700' },
    });
    expect(await set('--stop-words', 'default')).toEqual({ ...both, stop_words: none.stop_words });
    expect(await admin.json('optouts', 'show', 'acme/test')).toEqual(none);
  });

  it('are refused if they are invalid, and nothing is changed', async () => {
    const before = await show();
    for (const [args, message] of [
      [['--stop-words', 'TAMAM,help'], '"help" has another meaning: help'],
      [['--stop-words', ','], 'stop_words'],
      [['--help-text', ' '], 'visible text'],
      [['--help-text', 'x'.repeat(481)], '480'],
      [[], 'Name at least one setting'],
    ] as const)
      await expect(admin.json('optouts', 'set', 'acme/live', ...args)).rejects.toThrow(message);
    expect(await show()).toEqual(before);
  });
});
