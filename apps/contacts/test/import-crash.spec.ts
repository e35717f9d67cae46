import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { LeaseLostError } from '@gangan/leases';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import type { ImportsRepository } from '../src/imports/imports.repository.js';
import { ImportJob, type SliceSize } from '../src/imports/import-runner.js';
import { TablesRepository } from '../src/tables/tables.repository.js';
import type { ClaimedTransfer } from '../src/transfers/transfer-lease.js';
import { TransferFailedError } from '../src/transfers/transfers.errors.js';
import { TestContacts } from './support/test-contacts.js';
import { Transfers } from './support/transfers.js';

let contacts: TestContacts;
let transfers: Transfers;
beforeAll(async () => {
  contacts = await TestContacts.open();
  transfers = await Transfers.open(contacts);
});
afterAll(() => contacts.close());

/** What happens to a worker when it writes a portion. */
type Fate = 'lives' | 'dies before' | 'dies within' | 'dies after' | 'sleeps too long';

class Dead extends Error {}

/** A worker whose portions meet these fates in order; later ones succeed. */
function workerWith(fates: readonly Fate[], meanwhile: () => Promise<void>): ImportJob {
  const { importsRepository: real } = transfers;
  const queue = [...fates];
  const advance: ImportsRepository['advance'] = async (claimed, write) => {
    const fate = queue.shift() ?? 'lives';
    if (fate === 'dies before') throw new Dead();
    if (fate === 'sleeps too long') await meanwhile();
    await real.advance(claimed, async (transaction) => {
      const outcome = await write(transaction);
      if (fate === 'dies within') throw new Dead();
      return outcome;
    });
    if (fate === 'dies after') throw new Dead();
  };
  const progress = {
    lease: real.lease,
    read: (claimed: ClaimedTransfer) => real.read(claimed),
    parts: (claimed: ClaimedTransfer, from: number, bytes: number) => real.parts(claimed, from, bytes),
    finish: (claimed: ClaimedTransfer) => real.finish(claimed),
    advance,
  } as ImportsRepository;
  return new ImportJob(
    progress,
    contacts.get(TablesRepository),
    contacts.rowsRepository,
    contacts.upserts,
    transfers.metrics,
  );
}

/** Claims the import and runs it until it is done, dead or has lost its lease. Returns whether it claimed one. */
async function work(worker: ImportJob, size: SliceSize): Promise<boolean> {
  const claimed = await transfers.importsRepository.lease.claimNext();
  if (!claimed) return false;
  try {
    await worker.runSlice(claimed, transfers.going, size);
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

const formatLine = ({ name, email }: ModelLine): string => `${quoted(name)},${quoted(email)}`;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The expected rows, computed line by line. */
function model(lines: readonly ModelLine[], upsert: boolean) {
  const rows: Record<string, string>[] = [];
  const refused: string[] = [];
  const counts = { lines: lines.length, created: 0, updated: 0, rejected: 0 };
  for (const { email, name } of lines) {
    if (email === 'no address' || (upsert && email === '')) {
      counts.rejected += 1;
      refused.push(formatLine({ email, name }));
      continue;
    }
    const cells = { ...(name.trim() !== '' && { Name: name }), ...(email !== '' && { Email: email }) };
    const known = upsert ? rows.findIndex((row) => row['Email']?.toLowerCase() === email.toLowerCase()) : -1;
    if (known === -1) rows.push(cells);
    else rows[known] = cells;
    counts[known === -1 ? 'created' : 'updated'] += 1;
  }
  return { rows, counts, refused };
}

describe('an import whose workers die', () => {
  it('ends with every row exactly once', async () => {
    const story = fc.record({
      lines: fc.array(line, { maxLength: 40 }),
      lives: fc.array(fc.array(fate, { maxLength: 6 }), { maxLength: 6 }),
      upsert: fc.boolean(),
      slice: fc.record({
        lines: fc.integer({ min: 1, max: 9 }),
        bytes: fc.integer({ min: 1, max: 200 }),
        portions: fc.integer({ min: 1, max: 4 }),
      }),
      size: fc.integer({ min: 20, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ lines, lives, upsert, slice, size }) => {
        const organisationId = await contacts.organisation();
        const file = ['Name,Email', ...lines.map(formatLine)];
        const options = { size, ...(upsert && { upsert: 'Email' }) };
        const { id } = await transfers.upload(organisationId, file.join('\r\n'), options);
        const another = workerWith([], () => Promise.resolve());
        const takenOver = async (): Promise<void> => {
          await transfers.expire('import');
          await work(another, slice);
        };
        for (const fates of lives) {
          await work(workerWith(fates, takenOver), slice);
          await transfers.expire('import');
        }
        while (await work(another, slice));
        const { rows, counts, refused } = model(lines, upsert);
        expect(await transfers.rows(organisationId)).toEqual(rows);
        const context = newContext({ organisationId });
        expect(await transfers.imports.find({ id }, context)).toMatchObject({ state: 'done', ...counts });
        expect(await transfers.parts()).toBe(0);
        const kept = parse(await transfers.rejected(organisationId, id), {
          from: 2,
          record_delimiter: '\r\n',
        });
        expect(kept.map(([, , text]) => text)).toEqual(refused);
      }),
      { numRuns: repetitions(5, 20) },
    );
  });

  it('runs in one worker at a time, after earlier imports of the table', async () => {
    const organisationId = await contacts.organisation();
    await transfers.upload(organisationId, 'Name\nAda\n');
    await transfers.upload(organisationId, 'Name\nBola\n');
    const { lease } = transfers.importsRepository;
    const taken = await Promise.all([lease.claimNext(), lease.claimNext(), lease.claimNext()]);
    expect(taken.filter((claimed) => claimed !== undefined)).toHaveLength(1);
    expect(await lease.claimNext()).toBeUndefined();
    await transfers.expire('import');
    await transfers.importAll();
    expect(await transfers.rows(organisationId)).toEqual([{ Name: 'Ada' }, { Name: 'Bola' }]);
  });

  it('fails after too many attempts without progress', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    const { importsRepository } = transfers;
    for (let attempt = 0; attempt < 19; attempt += 1) {
      await importsRepository.lease.claimNext();
      await transfers.expire('import');
    }
    const broken = workerWith(['dies before'], () => Promise.resolve());
    const failing = await Transfers.open(contacts);
    failing.importJob.runSlice = (claimed, signal) => broken.runSlice(claimed, signal);
    await failing.importAll();
    expect(await transfers.imports.find({ id }, newContext({ organisationId }))).toMatchObject({
      state: 'failed',
      reason: 'An internal error occurred repeatedly',
    });
  });

  it('fails without another attempt if it killed too many workers', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    for (let attempt = 0; attempt < 20; attempt += 1) {
      await transfers.importsRepository.lease.claimNext();
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
    [1, new TransferFailedError('bad')],
    [20, new Error('bad')],
  ])('is not counted as ended at attempt %i by a worker that lost its lease', async (attempts, error) => {
    const organisationId = await contacts.organisation();
    await transfers.upload(organisationId, 'Name\nAda\n');
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      await transfers.importsRepository.lease.claimNext();
      await transfers.expire('import');
    }
    const late = await Transfers.open(contacts);
    const { lease } = late.importsRepository;
    // It claims once: otherwise its second slot could take the import over before the other worker does.
    const claims = [await lease.claimNext()];
    lease.claimNext = () => Promise.resolve(claims.shift());
    late.importJob.runSlice = async () => {
      await transfers.expire('import');
      await transfers.importAll();
      throw error;
    };
    await late.importAll();
    for (const outcome of ['failed', 'given_up'])
      expect(await late.counted('transfers_ended_total', { kind: 'import', outcome })).toBe(0);
    expect(late.log.filter(({ message }) => message === 'the transfer failed and is not retried')).toEqual(
      [],
    );
  });

  it('writes smaller batches if the database takes too long, and no row twice', async () => {
    const organisationId = await contacts.organisation();
    const names = Array.from({ length: 50 }, (_, index) => `Person ${index}`);
    const { id } = await transfers.upload(organisationId, `Name\n${names.join('\n')}\n`);
    const slow = await Transfers.open(contacts);
    const sizes: number[] = [];
    const { importsRepository } = slow;
    const advance = importsRepository.advance.bind(importsRepository);
    importsRepository.advance = (claimed, write) =>
      advance(claimed, async (transaction) => {
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
    // The smaller size is kept for the lines that follow.
    expect(sizes.filter((size) => size > 6)).toEqual([50, 25, 13, 7]);
  });

  it('is retried later if a single line takes the database too long', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await transfers.upload(organisationId, 'Name\nAda\n');
    const slow = await Transfers.open(contacts);
    slow.importsRepository.advance = async () => {
      await contacts.database.transaction(async (transaction) => {
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
