import {
  type ContactDateFormat,
  type ContactExport,
  type ContactImport,
  contactImportDue,
  type ContactRowsQuery,
  type CsvDelimiter,
  type FilePart,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { type Announcer, LeaseHolder } from '@gangan/leases';
import { type EventContract, newContext } from '@gangan/protocol';
import { type AppLogger, Registry } from '@gangan/runtime';
import { expect } from '@jest/globals';
import { ExportProgressRepository } from '../../src/exports/export-progress.repository.js';
import { ExportJob, ExportRunner } from '../../src/exports/export-runner.js';
import { ExportsRepository } from '../../src/exports/exports.repository.js';
import { ExportsService } from '../../src/exports/exports.service.js';
import { ImportJob, ImportRunner } from '../../src/imports/import-runner.js';
import { ImportsRepository } from '../../src/imports/imports.repository.js';
import { ImportsService } from '../../src/imports/imports.service.js';
import { UploadsRepository } from '../../src/imports/uploads.repository.js';
import { ContactsConfig } from '../../src/contacts.config.js';
import { TablesRepository } from '../../src/tables/tables.repository.js';
import { TransferMetrics } from '../../src/transfers/transfers.metrics.js';
import { config, type TestContacts } from './test-contacts.js';

export interface UploadOptions {
  readonly upsert?: string;
  readonly delimiter?: CsvDelimiter;
  readonly date_format?: ContactDateFormat;
  /** The length of the parts in which the text is sent. */
  readonly size?: number;
}

/** Imports and exports without a queue. They run only when a test calls `importAll` or `exportAll`. */
export class Transfers {
  readonly imports: ImportsService;
  readonly exports: ExportsService;
  readonly importsRepository: ImportsRepository;
  readonly holder: LeaseHolder;
  readonly exportProgress: ExportProgressRepository;
  readonly importJob: ImportJob;
  readonly exportJob: ExportJob;
  readonly importRunner: ImportRunner;
  readonly exportRunner: ExportRunner;
  readonly announced: string[] = [];
  readonly log: { readonly level: string; readonly message: string; readonly details: object }[] = [];
  readonly registry = new Registry();
  readonly metrics: TransferMetrics;
  readonly going = new AbortController().signal;

  constructor(readonly contacts: TestContacts) {
    const { database, rowsRepository, upserts, queries, slots } = contacts;
    const tables = new TablesRepository(database, new ContactsConfig({}));
    const metrics = (this.metrics = new TransferMetrics(this.registry));
    const logAs = (level: string) => (details: object, message: string) =>
      void this.log.push({ level, message, details });
    const logger: AppLogger = {
      debug: logAs('debug'),
      info: logAs('info'),
      warn: logAs('warn'),
      error: logAs('error'),
      fatal: logAs('fatal'),
    };
    const announcer = {
      announce: (event: EventContract, items: readonly { id: string }[]) => {
        const kind = event.name === contactImportDue.name ? 'import' : 'export';
        this.announced.push(...items.map(({ id }) => `${kind} ${id}`));
        return Promise.resolve();
      },
    } as Announcer;
    this.holder = new LeaseHolder('contacts');
    this.importsRepository = new ImportsRepository(database, contacts.quotas, this.holder);
    const uploads = new UploadsRepository(database, contacts.quotas);
    const exports = new ExportsRepository(database, contacts.quotas, config);
    this.imports = new ImportsService(tables, this.importsRepository, uploads, announcer);
    this.exports = new ExportsService(tables, queries, slots, exports, announcer);
    this.exportProgress = new ExportProgressRepository(database, contacts.quotas, this.holder);
    this.importJob = new ImportJob(this.importsRepository, tables, rowsRepository, upserts, metrics);
    this.exportJob = new ExportJob(this.exportProgress, metrics);
    this.importRunner = new ImportRunner(this.importJob, config, metrics, logger);
    this.exportRunner = new ExportRunner(this.exportJob, config, metrics, logger);
  }

  /** Sends a file as the gateway does. Returns the reply to its last part. */
  async upload(
    organisationId: string,
    text: string,
    { size = 65_536, ...options }: UploadOptions = {},
  ): Promise<ContactImport> {
    const context = newContext({ organisationId });
    let begins = 0;
    let answer: ContactImport | undefined;
    const characters = Array.from(text);
    for (let at = 0; answer === undefined || at < characters.length; at += size) {
      const part = characters.slice(at, at + size).join('');
      const last = at + size >= characters.length;
      answer = await this.imports.takePart({ ...options, begins, text: part, last }, context);
      begins += Buffer.byteLength(part);
    }
    return answer;
  }

  /** Uploads a file and runs the import. */
  async import(organisationId: string, text: string, options: UploadOptions = {}): Promise<ContactImport> {
    const { id } = await this.upload(organisationId, text, options);
    await this.importAll();
    return this.imports.find({ id }, newContext({ organisationId }));
  }

  /** Runs all due imports. */
  async importAll(): Promise<void> {
    await this.importRunner.look();
    await this.importRunner.idle();
  }

  async exportAll(): Promise<void> {
    await this.exportRunner.look();
    await this.exportRunner.idle();
  }

  /** Creates an export and runs it. Returns it with its file. */
  async export(
    organisationId: string,
    query: ContactRowsQuery = {},
  ): Promise<[made: ContactExport, file: string]> {
    const { id } = await this.exports.create(query, newContext({ organisationId }));
    await this.exportAll();
    const made = await this.exports.find({ id }, newContext({ organisationId }));
    return [made, await this.file(organisationId, id)];
  }

  file(organisationId: string, id: string): Promise<string> {
    const context = newContext({ organisationId });
    return join((number) => this.exports.readPart({ id, number }, context));
  }

  /** The file of the rejected lines of an import. */
  rejected(organisationId: string, id: string): Promise<string> {
    const context = newContext({ organisationId });
    return join((number) => this.imports.readRejectedPart({ id, number }, context));
  }

  /** The value of a metric of imports, or exports. */
  async counted(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const { values } = (await this.registry.getSingleMetric(`gangan_contact_${name}`)?.get()) ?? {
      values: [],
    };
    const wanted = Object.entries(labels);
    return values.find((each) => wanted.every(([key, value]) => each.labels[key] === value))?.value ?? 0;
  }

  /** All rows in order, with their cells by column name. */
  async rows(organisationId: string): Promise<Record<string, string>[]> {
    const { id, columns } = await this.contacts.table(organisationId);
    const rows = await this.contacts.database.query<{ cells: Record<string, string> }>(
      sql`SELECT cells FROM contact_row WHERE table_id = ${id} ORDER BY id`,
    );
    return rows.map(({ cells }) =>
      Object.fromEntries(
        columns.flatMap((column) =>
          cells[column.id] === undefined ? [] : [[column.name, cells[column.id] ?? '']],
        ),
      ),
    );
  }

  /** Lets all leases expire, as if their workers had died. */
  async expire(kind: 'import' | 'export'): Promise<void> {
    const past = sql`next_attempt_at = now() - interval '1 s' WHERE state = 'running'`;
    await this.contacts.database.execute(
      kind === 'import' ? sql`UPDATE contact_import SET ${past}` : sql`UPDATE contact_export SET ${past}`,
    );
  }

  async parts(): Promise<number> {
    const [row] = await this.contacts.database.query<{ parts: number }>(
      sql`SELECT count(*)::int AS parts FROM contact_import_part`,
    );
    return row?.parts ?? 0;
  }
}

/** Reads a file as the gateway does. */
async function join(read: (number: number) => Promise<FilePart>): Promise<string> {
  const { text: first, parts, bytes } = await read(0);
  let text = first;
  for (let number = 1; number < parts; number += 1) text += (await read(number)).text;
  expect(Buffer.byteLength(text)).toBe(bytes);
  return text;
}
