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
import { Announcer, LeaseHolder } from '@gangan/leases';
import { type EventContract, newContext } from '@gangan/protocol';
import { AppLogger, Registry } from '@gangan/runtime';
import { type TestingModule, valueFor } from '@gangan/testing';
import { expect } from '@jest/globals';
import { ExportProgressRepository } from '../../src/exports/export-progress.repository.js';
import { ExportJob, ExportRunner } from '../../src/exports/export-runner.js';
import { ExportsService } from '../../src/exports/exports.service.js';
import { ImportJob, ImportRunner } from '../../src/imports/import-runner.js';
import { ImportsRepository } from '../../src/imports/imports.repository.js';
import { ImportsService } from '../../src/imports/imports.service.js';
import { TransferMetrics } from '../../src/transfers/transfers.metrics.js';
import type { TestContacts } from './test-contacts.js';

export interface UploadOptions {
  readonly upsert?: string;
  readonly delimiter?: CsvDelimiter;
  readonly date_format?: ContactDateFormat;
  /** The length of the parts in which the text is sent. */
  readonly size?: number;
}

/** What a worker announced and logged. */
class Recorded {
  readonly announced: string[] = [];
  readonly log: { readonly level: string; readonly message: string; readonly details: object }[] = [];

  readonly announcer: Pick<Announcer, 'announce'> = {
    announce: (event: EventContract, items: readonly object[]) => {
      const kind = event.name === contactImportDue.name ? 'import' : 'export';
      this.announced.push(...items.map((item) => `${kind} ${(item as { id: string }).id}`));
      return Promise.resolve();
    },
  };

  readonly logger: AppLogger = {
    debug: this.logAs('debug'),
    info: this.logAs('info'),
    warn: this.logAs('warn'),
    error: this.logAs('error'),
    fatal: this.logAs('fatal'),
  };

  private logAs(level: string) {
    return (details: object, message: string) => void this.log.push({ level, message, details });
  }
}

/** The imports and exports of a worker of its own. They run only when a test calls `importAll` or `exportAll`. */
export class Transfers {
  readonly imports: ImportsService;
  readonly exports: ExportsService;
  readonly importsRepository: ImportsRepository;
  readonly holder: LeaseHolder;
  readonly exportProgress: ExportProgressRepository;
  readonly importJob: ImportJob;
  readonly exportJob: ExportJob;
  readonly metrics: TransferMetrics;
  readonly going = new AbortController().signal;
  private readonly importRunner: ImportRunner;
  private readonly exportRunner: ExportRunner;
  private readonly registry: Registry;

  private constructor(
    readonly contacts: TestContacts,
    module: TestingModule,
    private readonly recorded: Recorded,
  ) {
    this.imports = module.get(ImportsService);
    this.exports = module.get(ExportsService);
    this.importsRepository = module.get(ImportsRepository);
    this.holder = module.get(LeaseHolder);
    this.exportProgress = module.get(ExportProgressRepository);
    this.importJob = module.get(ImportJob);
    this.exportJob = module.get(ExportJob);
    this.metrics = module.get(TransferMetrics);
    this.importRunner = module.get(ImportRunner);
    this.exportRunner = module.get(ExportRunner);
    this.registry = module.get(Registry);
  }

  static async open(contacts: TestContacts): Promise<Transfers> {
    const recorded = new Recorded();
    const module = await contacts.worker([
      valueFor(AppLogger, recorded.logger),
      valueFor(Announcer, recorded.announcer),
    ]);
    return new Transfers(contacts, module, recorded);
  }

  get announced(): string[] {
    return this.recorded.announced;
  }

  get log(): Recorded['log'] {
    return this.recorded.log;
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
