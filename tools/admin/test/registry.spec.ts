import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from '@gangan/database';
import {
  activateImport as activate,
  importRegistry,
  removeUnusedNumbers as removeUnused,
} from '@gangan/management';
import { isFullSuite, until } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inspectFile, readLines } from '../src/registry/read-file.js';
import { AdminFixture } from './support/admin-fixture.js';

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Little more than the command itself takes: it would fail if it held all lines of a long file in memory. */
const nodeOptions = isFullSuite ? ['--max-old-space-size=32'] : [];

interface Done {
  readonly import: string;
  readonly lines: number;
  readonly rejected: number;
  readonly resumed_at: number;
}

describe('pnpm admin registry import', () => {
  let folder: string;
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  beforeAll(async () => {
    folder = await fixture.folder();
  });

  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const begin = (...given: string[]): ChildProcess =>
    spawn(process.execPath, [...nodeOptions, script, 'registry', 'import', ...given], {
      env: { PATH: process.env['PATH'], DATABASE_URL: fixture.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  /** Begins an import, and kills it before it commits the batch with a number. */
  const killBefore = async (phone: string, ...given: string[]): Promise<void> => {
    const { database } = fixture;
    await database.execute(sql`
      CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`);
    await database.$executeRawUnsafe(`
      CREATE TRIGGER stop BEFORE INSERT ON dnd_number FOR EACH ROW WHEN (NEW.phone = '${phone}') EXECUTE FUNCTION stop()`);
    await database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT pg_advisory_xact_lock(1)`);
      const started = begin(...given);
      await until('the import waits', async () => {
        const waiting = await database.query(
          sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
        );
        return waiting.length === 1;
      });
      started.kill('SIGKILL');
      await once(started, 'close');
    });
    await database.execute(sql`DROP FUNCTION stop CASCADE`);
  };
  const finish = async (child: ChildProcess): Promise<Done> => {
    let out = '';
    child.stdout?.on('data', (part) => (out += String(part)));
    expect(await once(child, 'close')).toEqual([0, null]);
    return JSON.parse(out) as Done;
  };
  const linesTaken = async (): Promise<number> => {
    const [row] = await fixture.database.query<{ lines: number }>(
      sql`SELECT lines FROM registry_import WHERE state = 'loading'`,
    );
    return row?.lines ?? 0;
  };
  const served = async (): Promise<string[]> => {
    const rows = await fixture.database.query<{ phone: string }>(sql`
      SELECT n.phone FROM dnd_number n JOIN registry_import i ON i.id = n.import_id
      WHERE i.state = 'active' ORDER BY n.phone`);
    return rows.map(({ phone }) => phone);
  };
  const stored = async (): Promise<number> => {
    const [row] = await fixture.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM dnd_number`,
    );
    return row?.count ?? 0;
  };

  it('continues after a kill, and is used by no lookup until it is complete', async () => {
    await admin.json('registry', 'import', 'dnd', await file('old.csv', '08031234567\n'));
    const [lines, taken] = isFullSuite ? [60_000, 10_000] : [8_000, 4_000];
    const phones = Array.from({ length: lines }, (_, n) => `+234803${String(1_000_000 + n)}`);
    // Some lines are bad, and some numbers come again at the other end of the file.
    const text = [...phones.slice(0, -200), ...Array<string>(100).fill('112'), ...phones.slice(0, 100)];
    const path = await file('new.csv', `phone\n${text.join('\n')}\n`);

    await killBefore(phones[taken] ?? '', 'dnd', path, '--replace', '--yes');
    expect(await linesTaken()).toBe(taken);
    expect(await served()).toEqual(['+2348031234567']);

    const done = await finish(begin('dnd', path, '--replace', '--yes', '--json'));
    expect(done).toMatchObject({ lines, rejected: 100, resumed_at: taken });
    expect(await served()).toEqual(phones.slice(0, -200));
    // What was replaced is gone.
    expect(await stored()).toBe(lines - 200);
  });

  it('starts again only with --restart or with another file', async () => {
    const path = await file('dnd.csv', '08031234567\n08031234568\n');
    const { digest } = await inspectFile(path);
    const cutOff = async () => {
      await fixture.database.execute(sql`
        INSERT INTO registry_import (id, registry, mode, source, digest, lines)
        VALUES (uuidv7(), 'dnd', 'merge', 'dnd.csv', ${digest}, 1)`);
    };
    await cutOff();
    const other = await file('other.csv', '08031234569\n');
    expect(await admin.json('registry', 'import', 'dnd', other)).toMatchObject({ lines: 1, resumed_at: 0 });
    const replacing = await admin.json('registry', 'import', 'dnd', path, '--replace', '--force', '--yes');
    expect(replacing).toMatchObject({ lines: 2, resumed_at: 0 });
    const { err } = await admin.run('registry', 'import', 'dnd', path);
    expect(err).toContain('Continuing after 1 lines');
    await cutOff();
    const anew = await admin.json('registry', 'import', 'dnd', path, '--restart');
    expect(anew).toMatchObject({ lines: 2, resumed_at: 0 });
    expect(await linesTaken()).toBe(0);
  });

  it('can be discarded before it is complete', async () => {
    const id = '019a85e4-9d53-7c52-b2b1-6b6f3f0f4f6a';
    await fixture.database.execute(sql`
      INSERT INTO registry_import (id, registry, mode, source, lines) VALUES (${id}, 'dnd', 'merge', 'x.csv', 1)`);
    await fixture.database.execute(
      sql`INSERT INTO dnd_number (phone, import_id) VALUES ('+2348099999999', ${id})`,
    );
    await admin.json('registry', 'discard', id, '--yes');
    const left = await fixture.database.query(sql`SELECT FROM dnd_number WHERE import_id = ${id}`);
    expect(left).toEqual([]);
    expect(await admin.run('registry', 'discard', id, '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no unfinished import'),
    });
  });

  it('is completed by only one of two processes with the same file', async () => {
    const path = await file(
      'twins.csv',
      Array.from({ length: 5_000 }, (_, n) => `0806${1_000_000 + n}`).join('\n'),
    );
    const twins = await Promise.all([1, 2].map(() => admin.run('registry', 'import', 'dnd', path)));
    const imports = await admin.json<{ source: string; state: string; lines: number }[]>('registry', 'list');
    const own = imports.filter(({ source }) => source === 'twins.csv');
    // Either one was faster than the other, or they met.
    for (const { lines: taken, state } of own)
      expect({ taken, state }).toEqual({ taken: 5_000, state: 'active' });
    if (own.length === 1) expect(twins.map(({ code }) => code).sort()).toEqual([0, 1]);
  });

  it('removes the numbers of superseded and failed imports once', async () => {
    const unused = async () =>
      fixture.database.query<{ cleared: boolean }>(sql`
        SELECT cleared FROM registry_import WHERE registry = 'dnd' AND state IN ('superseded', 'failed')`);
    const id = '019a85e4-9d53-7c52-b2b1-6b6f3f0f4f6b';
    const unusedNumbers = isFullSuite ? 25_000 : 10_001;
    await fixture.database.execute(sql`
      INSERT INTO registry_import (id, registry, mode, state, source) VALUES (${id}, 'dnd', 'merge', 'failed', 'x')`);
    await fixture.database.execute(sql`
      INSERT INTO dnd_number
      SELECT '+234802' || n, ${id}::uuid FROM generate_series(1000000, 1000000 + ${unusedNumbers}::int - 1) n`);
    const heard: number[] = [];
    await removeUnused(fixture.database, 'dnd', (removed) => heard.push(removed));
    expect(heard).toEqual(isFullSuite ? [10_000, 20_000, 25_000] : [10_000, 10_001]);
    expect(await fixture.database.query(sql`SELECT FROM dnd_number WHERE import_id = ${id}`)).toEqual([]);
    expect((await unused()).every(({ cleared }) => cleared)).toBe(true);
  });

  it('is used even if the replaced numbers cannot be removed', async () => {
    await fixture.database.execute(sql`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`);
    await fixture.database.execute(sql`
      CREATE TRIGGER refuse BEFORE DELETE ON ported_number EXECUTE FUNCTION refuse()`);
    await admin.json('registry', 'import', 'ported', await file('p1.csv', '08031234567,Glo\n'));
    const path = await file('p2.csv', '08031234567,MTN\n');
    const { code, out, err } = await admin.run('registry', 'import', 'ported', path, '--replace', '--yes');
    await fixture.database.execute(sql`DROP FUNCTION refuse CASCADE`);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('used by lookups') });
    expect(err).toMatch(/Warning: old numbers could not be removed/);
    expect(err).not.toContain('repeat the command to continue');
  });

  it('the last of several concurrent imports wins', async () => {
    const fresh = async (name: string): Promise<string> => {
      const [row] = await fixture.database.query<{ id: string }>(sql`
        INSERT INTO registry_import (id, registry, mode, source, digest)
        VALUES (uuidv7(), 'ported', 'replace', ${name}, ${Buffer.from(name)}) RETURNING id`);
      return row?.id ?? '';
    };
    const [first, second] = [await fresh('a'), await fresh('b')];
    const waiting = async () =>
      (await fixture.database.query(sql`SELECT FROM pg_locks WHERE NOT granted`)).length;
    const unrecorded = () => Promise.resolve();
    let activating: Promise<unknown>[] = [];
    await fixture.database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT id FROM registry_import WHERE id = ${first} FOR UPDATE`);
      activating = [activate(fixture.database, 'ported', first, unrecorded)];
      await until('the first activation waits', async () => (await waiting()) === 1);
      const progress = { ended: false };
      const other = activate(fixture.database, 'ported', second, unrecorded).finally(
        () => (progress.ended = true),
      );
      activating.push(other);
      await until(
        'the second activation waits or ends',
        async () => progress.ended || (await waiting()) === 2,
      );
    });
    await Promise.all(activating);
    const active = await fixture.database.query<{ id: string }>(sql`
      SELECT id FROM registry_import WHERE registry = 'ported' AND state = 'active'`);
    expect(active).toEqual([{ id: second }]);
  });

  it('refuses a file with few or mostly bad lines as a replacement unless it is forced', async () => {
    const replace = async (text: string, ...more: string[]) =>
      admin.run('registry', 'import', 'ported', await file('next.csv', text), '--replace', '--yes', ...more);
    const ported = async () =>
      (
        await fixture.database.query<{ phone: string }>(sql`
          SELECT n.phone FROM ported_number n JOIN registry_import i ON i.id = n.import_id
          WHERE i.state = 'active' ORDER BY n.phone`)
      ).map(({ phone }) => phone);
    const numbers = (count: number) =>
      Array.from({ length: count }, (_, n) => `080312345${60 + n},Glo\n`).join('');
    expect(await replace(numbers(5), '--force')).toMatchObject({ code: 0 });
    const before = await ported();
    expect(before).toHaveLength(5);
    const fewer = await replace(numbers(2));
    expect(fewer).toMatchObject({ code: 1, err: expect.stringContaining('from 5 numbers to 2') });
    expect(fewer.err).not.toContain('repeat the command to continue');
    const bad = await replace(`${numbers(5)}${'112,Glo\n'.repeat(6)}`);
    expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('6 of 11 lines are bad') });
    expect(await ported()).toEqual(before);
    expect(await replace(numbers(3))).toMatchObject({ code: 0 });
    const forced = await replace(numbers(2).slice(0, -1), '--force', '--json');
    expect(forced).toMatchObject({ code: 0 });
    // What was loaded already is not loaded again.
    expect(await replace(numbers(1))).toMatchObject({ code: 0 });
    const again = await replace(numbers(2), '--force', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ lines: 2, resumed_at: 2 });
    expect(await ported()).toHaveLength(2);
  });

  it('warns once about an unknown Nigerian operator', async () => {
    const path = await file('odd.csv', '08031234567,Smile\n08031234568,Smile\n08031234569,GLOBACOM\n');
    const { code, err } = await admin.run('registry', 'import', 'ported', path);
    expect(code).toBe(0);
    expect(err.match(/Warning: .*/g)).toEqual([
      expect.stringMatching(/line 1: “Smile” is not a known Nigerian operator/),
    ]);
  });

  it('can be continued after the file could not be read', async () => {
    const path = await file('torn.csv', '08031234567\n08031234568\n');
    const read = { ...(await inspectFile(path)), lines: readLines(path) };
    const input = { ...read, registry: 'dnd', mode: 'merge', restart: false, force: false } as const;
    const watcher = {
      begun: () => {
        rmSync(path);
      },
      rejected: () => undefined,
      unknownOperator: () => undefined,
      progress: () => Promise.resolve(),
      removed: () => undefined,
    };
    const access = { database: fixture.database, principal: { name: 'ada' } };
    await expect(importRegistry(access, input, watcher)).rejects.toThrow(/ENOENT/);
    const [torn] = await fixture.database.query(
      sql`SELECT state FROM registry_import WHERE source = 'torn.csv'`,
    );
    expect(torn).toEqual({ state: 'loading' });
  });

  it('lists all bad lines after an interruption, even if the first list is gone', async () => {
    const path = await file('cut.csv', `phone\n${'112\n08031234567\n'.repeat(2_500)}`);
    const { digest } = await inspectFile(path);
    await fixture.database.execute(sql`
      INSERT INTO registry_import (id, registry, mode, source, digest, lines, rejected)
      VALUES (uuidv7(), 'dnd', 'merge', 'cut.csv', ${digest}, 4000, 2000)`);
    const report = await admin.json('registry', 'import', 'dnd', path);
    expect(report).toMatchObject({ lines: 5_000, rejected: 2_500, resumed_at: 4_000 });
    const rows = (await readFile(`${path}.rejected.csv`, 'utf8')).trimEnd().split('\n').slice(1);
    expect(rows.map((row) => Number(row.split(',')[0]))).toEqual(
      Array.from({ length: 2_500 }, (_, n) => 2 * n + 2),
    );
  });

  it('writes many bad lines to a file', async () => {
    const path = await file('bad.csv', `08031234567\n${'112\n'.repeat(150)}`);
    const { code, err } = await admin.run('registry', 'import', 'dnd', path);
    expect(code).toBe(0);
    expect(err.split('\n').filter((line) => line.startsWith('line '))).toHaveLength(100);
    const rows = (await readFile(`${path}.rejected.csv`, 'utf8')).trimEnd().split('\n');
    expect([rows.length, rows.at(-1)]).toEqual([151, '151,"the first column is not a phone number"']);
  });
});
