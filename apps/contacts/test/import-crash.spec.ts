import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { LeaseLostError } from '@gangan/leases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ImportProgressRepository } from '../src/imports/import-progress.repository.js';
import { ImportWork, type Pace } from '../src/imports/import-work.js';
import { TablesRepository } from '../src/tables/tables.repository.js';
import { type Held, Hopeless } from '../src/transfers/held.js';
import { Office } from './support/office.js';
import { Transfers } from './support/transfers.js';

let office: Office;
let transfers: Transfers;
beforeAll(async () => {
  office = await Office.open();
  transfers = new Transfers(office);
}, 60_000);
afterAll(() => office.close());

/** What befalls a worker when it is about to write a portion down. */
type Fate = 'lives' | 'dies before' | 'dies within' | 'dies after' | 'sleeps too long';

class Dead extends Error {}

/** A worker whose portions have these fates, one after the other; then it lives. */
function workerWith(fates: readonly Fate[], meanwhile: () => Promise<void>): ImportWork {
  const { importProgress: real } = transfers;
  const queue = [...fates];
  const advance: ImportProgressRepository['advance'] = async (held, write) => {
    const fate = queue.shift() ?? 'lives';
    if (fate === 'dies before') throw new Dead();
    if (fate === 'sleeps too long') await meanwhile();
    await real.advance(held, async (transaction) => {
      const outcome = await write(transaction);
      if (fate === 'dies within') throw new Dead();
      return outcome;
    });
    if (fate === 'dies after') throw new Dead();
  };
  const progress = {
    leases: real.leases,
    read: (held: Held) => real.read(held),
    parts: (held: Held, from: number, bytes: number) => real.parts(held, from, bytes),
    finish: (held: Held) => real.finish(held),
    advance,
  } as ImportProgressRepository;
  return new ImportWork(
    progress,
    new TablesRepository(office.database),
    office.rowsRepository,
    office.upserts,
    transfers.metrics,
  );
}

/** Takes the import up and works until it is done, dead or out of its lease. Tells whether there was something to take. */
async function work(worker: ImportWork, pace: Pace): Promise<boolean> {
  const held = await transfers.importProgress.leases.take();
  if (!held) return false;
  try {
    await worker.carryOn(held, transfers.going, pace);
  } catch (error) {
    if (!(error instanceof Dead || error instanceof LeaseLostError)) throw error;
  }
  return true;
}

interface ModelLine {
  readonly email: string;
  readonly name: string;
}

const emails = [
  'ada@example.com',
  'ADA@Example.com',
  'bola@example.com',
  'chidi@example.com',
  'no address',
  '',
];
const line = fc.record({
  email: fc.constantFrom(...emails),
  name: fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é', '🙂'), maxLength: 5 }),
});
const fate = fc.constantFrom<Fate>('lives', 'dies before', 'dies within', 'dies after', 'sleeps too long');

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** What the rows are in the end, taken line by line. */
function model(lines: readonly ModelLine[], upsert: boolean) {
  const rows: Record<string, string>[] = [];
  const counts = { lines: lines.length, created: 0, updated: 0, rejected: 0 };
  for (const { email, name } of lines) {
    if (email === 'no address' || (upsert && email === '')) {
      counts.rejected += 1;
      continue;
    }
    const cells = { ...(name.trim() !== '' && { Name: name }), ...(email !== '' && { Email: email }) };
    const known = upsert ? rows.findIndex((row) => row['Email']?.toLowerCase() === email.toLowerCase()) : -1;
    if (known === -1) rows.push(cells);
    else rows[known] = cells;
    counts[known === -1 ? 'created' : 'updated'] += 1;
  }
  return { rows, counts };
}

describe('an import whose workers die', () => {
  it('ends as if nothing had happened: nothing is lost, nothing doubled', async () => {
    const story = fc.record({
      lines: fc.array(line, { maxLength: 40 }),
      lives: fc.array(fc.array(fate, { maxLength: 6 }), { maxLength: 6 }),
      upsert: fc.boolean(),
      pace: fc.record({
        lines: fc.integer({ min: 1, max: 9 }),
        bytes: fc.integer({ min: 1, max: 200 }),
        portions: fc.integer({ min: 1, max: 4 }),
      }),
      size: fc.integer({ min: 20, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ lines, lives, upsert, pace, size }) => {
        const organisationId = await office.organisation();
        const file = ['Name,Email', ...lines.map(({ name, email }) => `${quoted(name)},${quoted(email)}`)];
        const wish = { size, ...(upsert && { upsert: 'Email' }) };
        const { id } = await transfers.upload(organisationId, file.join('\r\n'), wish);
        const another = workerWith([], () => Promise.resolve());
        const takenOver = async (): Promise<void> => {
          await transfers.expire('import');
          await work(another, pace);
        };
        for (const fates of lives) {
          await work(workerWith(fates, takenOver), pace);
          await transfers.expire('import');
        }
        while (await work(another, pace));
        const { rows, counts } = model(lines, upsert);
        expect(await transfers.rows(organisationId)).toEqual(rows);
        const context = newContext({ organisationId });
        expect(await transfers.imports.find({ id }, context)).toMatchObject({ state: 'done', ...counts });
        expect(await transfers.parts()).toBe(0);
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  it('is carried out by one worker at a time, and after another import of the table', async () => {
    const organisationId = await office.organisation();
    await transfers.upload(organisationId, 'Name\nAda\n');
    await transfers.upload(organisationId, 'Name\nBola\n');
    const { leases } = transfers.importProgress;
    const taken = await Promise.all([leases.take(), leases.take(), leases.take()]);
    expect(taken.filter((held) => held !== undefined)).toHaveLength(1);
    expect(await leases.take()).toBeUndefined();
    await transfers.expire('import');
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }, { Name: 'Bola' }]);
  });

  it('gives up in the end on what never comes further', async () => {
    const organisationId = await office.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    const { importProgress } = transfers;
    for (let attempt = 0; attempt < 19; attempt += 1) {
      await importProgress.leases.take();
      await transfers.expire('import');
    }
    const broken = workerWith(['dies before'], () => Promise.resolve());
    const desk = new Transfers(office);
    desk.importWork.carryOn = (held, signal) => broken.carryOn(held, signal);
    await desk.importAll();
    expect(await transfers.imports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'failed',
      reason: 'Something went wrong on our side, again and again',
    });
  });

  it('gives up in the end on what kills its workers, without trying once more', async () => {
    const organisationId = await office.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await transfers.importProgress.leases.take();
      await transfers.expire('import');
    }
    await transfers.importAll();
    expect(await transfers.imports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'failed',
      created: 0,
    });
    expect(await transfers.counted('transfers_ended_total', { kind: 'import', outcome: 'given_up' })).toBe(1);
    expect(await transfers.parts()).toBe(0);
  });

  it.each([
    [1, new Hopeless('bad')],
    [20, new Error('bad')],
  ])('is not counted as ended at attempt %i by who has lost it', async (attempts, error) => {
    const organisationId = await office.organisation();
    await transfers.upload(organisationId, 'Name\nAda\n');
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      await transfers.importProgress.leases.take();
      await transfers.expire('import');
    }
    const late = new Transfers(office);
    late.importWork.carryOn = async () => {
      await transfers.expire('import');
      await transfers.importAll();
      throw error;
    };
    await late.importAll();
    for (const outcome of ['failed', 'given_up'])
      expect(await late.counted('transfers_ended_total', { kind: 'import', outcome })).toBe(0);
    expect(late.log.filter(({ message }) => message === 'failed for good')).toEqual([]);
  });

  it('writes smaller portions where the database takes too long, and none twice', async () => {
    const organisationId = await office.organisation();
    const names = Array.from({ length: 50 }, (_, place) => `Person ${place}`);
    const { id } = await transfers.upload(organisationId, `Name\n${names.join('\n')}\n`);
    const slow = new Transfers(office);
    const sizes: number[] = [];
    const { importProgress } = slow;
    const advance = importProgress.advance.bind(importProgress);
    importProgress.advance = (held, write) =>
      advance(held, async (transaction) => {
        const outcome = await write(transaction);
        sizes.push(outcome.created);
        if (outcome.created > 6)
          await transaction.query(sql`SELECT set_config('statement_timeout', '1', true)`);
        await transaction.query(sql`SELECT pg_sleep(${outcome.created > 6 ? 10 : 0})::text`);
        return outcome;
      });
    await slow.importAll();
    expect(await transfers.imports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'done',
      created: 50,
    });
    expect((await transfers.rows(organisationId)).map(({ Name }) => Name)).toEqual(names);
    // Found out once, and kept for what follows.
    expect(sizes.filter((size) => size > 6)).toEqual([50, 25, 13, 7]);
  });

  it('is put off when a single line takes the database too long', async () => {
    const organisationId = await office.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    const slow = new Transfers(office);
    slow.importProgress.advance = async () => {
      await office.database.transaction(async (transaction) => {
        await transaction.query(sql`SELECT set_config('statement_timeout', '1', true)`);
        await transaction.query(sql`SELECT pg_sleep(10)::text`);
      });
    };
    await slow.importAll();
    expect(await transfers.imports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'running',
    });
    expect(await slow.counted('transfer_stalls_total', { kind: 'import' })).toBe(1);
    await transfers.expire('import');
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }]);
  });
});
