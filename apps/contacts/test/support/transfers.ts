import type { ContactExport, ContactImport, ContactRowsQuery, CsvDelimiter } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { type AppLogger, Registry } from '@gangan/runtime';
import { ContactsConfig } from '../../src/contacts.config.js';
import { ExportDesk } from '../../src/exports/export-desk.js';
import { ExportProgressRepository } from '../../src/exports/export-progress.repository.js';
import { ExportWork } from '../../src/exports/export-work.js';
import { ExportsRepository } from '../../src/exports/exports.repository.js';
import { ExportsService } from '../../src/exports/exports.service.js';
import { ImportDesk } from '../../src/imports/import-desk.js';
import { ImportProgressRepository } from '../../src/imports/import-progress.repository.js';
import { ImportWork } from '../../src/imports/import-work.js';
import { ImportsRepository } from '../../src/imports/imports.repository.js';
import { ImportsService } from '../../src/imports/imports.service.js';
import { TablesRepository } from '../../src/tables/tables.repository.js';
import type { TransferAnnouncer } from '../../src/transfers/announcer.js';
import { TransferMetrics } from '../../src/transfers/transfer-metrics.js';
import { TransferPruner } from '../../src/upkeep/transfer-pruner.js';
import type { Office } from './office.js';

const config = new ContactsConfig({
  CONTACT_TRANSFERS_AT_A_TIME: 2,
  CONTACT_IMPORT_KEPT_FOR: '1h',
  CONTACT_EXPORT_KEPT_FOR: '1h',
});

export interface UploadWish {
  readonly upsert?: string;
  readonly delimiter?: CsvDelimiter;
  /** In how large parts the text is sent. */
  readonly size?: number;
}

/** What imports and exports contacts, without its queue. Nobody begins by himself. */
export class Transfers {
  readonly imports: ImportsService;
  readonly exports: ExportsService;
  readonly importProgress: ImportProgressRepository;
  readonly exportProgress: ExportProgressRepository;
  readonly importWork: ImportWork;
  readonly exportWork: ExportWork;
  readonly importDesk: ImportDesk;
  readonly exportDesk: ExportDesk;
  readonly pruner: TransferPruner;
  readonly announced: string[] = [];
  readonly log: { readonly level: string; readonly message: string; readonly details: object }[] = [];
  readonly registry = new Registry();
  readonly metrics: TransferMetrics;
  readonly going = new AbortController().signal;

  constructor(readonly office: Office) {
    const { database, rowsRepository, upserts, queries, turns } = office;
    const tables = new TablesRepository(database);
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
      announce: (what: string, id: string) => Promise.resolve(void this.announced.push(`${what} ${id}`)),
    } as TransferAnnouncer;
    const [imports, exports] = [new ImportsRepository(database), new ExportsRepository(database, config)];
    this.imports = new ImportsService(tables, imports, announcer);
    this.exports = new ExportsService(tables, queries, turns, exports, announcer);
    this.importProgress = new ImportProgressRepository(database);
    this.exportProgress = new ExportProgressRepository(database);
    this.importWork = new ImportWork(this.importProgress, tables, rowsRepository, upserts, metrics);
    this.exportWork = new ExportWork(this.exportProgress, metrics);
    this.importDesk = new ImportDesk(this.importProgress, this.importWork, config, metrics, logger);
    this.exportDesk = new ExportDesk(this.exportProgress, this.exportWork, config, metrics, logger);
    this.pruner = new TransferPruner(imports, exports, config);
  }

  /** Sends a file as the gateway does, and gives the answer to its last part. */
  async upload(
    organisationId: string,
    text: string,
    { size = 65_536, ...wish }: UploadWish = {},
  ): Promise<ContactImport> {
    const context = newContext({ organisationId });
    let begins = 0;
    let answer: ContactImport | undefined;
    const characters = Array.from(text);
    for (let at = 0; answer === undefined || at < characters.length; at += size) {
      const part = characters.slice(at, at + size).join('');
      const last = at + size >= characters.length;
      answer = await this.imports.takePart({ ...wish, begins, text: part, last }, context);
      begins += Buffer.byteLength(part);
    }
    return answer;
  }

  /** Uploads and carries out. */
  async import(organisationId: string, text: string, wish: UploadWish = {}): Promise<ContactImport> {
    const { id } = await this.upload(organisationId, text, wish);
    await this.importAll();
    return this.imports.find({ id }, newContext({ organisationId }));
  }

  /** Carries out all that waits, in the order in which it waits. */
  async importAll(): Promise<void> {
    await this.importDesk.look();
    await this.importDesk.idle();
  }

  async exportAll(): Promise<void> {
    await this.exportDesk.look();
    await this.exportDesk.idle();
  }

  /** Asks for an export and carries it out; gives it with its file. */
  async export(
    organisationId: string,
    wish: ContactRowsQuery = {},
  ): Promise<[made: ContactExport, file: string]> {
    const { id } = await this.exports.create(wish, newContext({ organisationId }));
    await this.exportAll();
    const made = await this.exports.find({ id }, newContext({ organisationId }));
    return [made, await this.file(organisationId, id)];
  }

  async file(organisationId: string, id: string): Promise<string> {
    let text = '';
    for (let number = 0, parts = 1; number < parts; number += 1) {
      const part = await this.exports.readPart({ id, number }, newContext({ organisationId }));
      ({ parts } = part);
      text += part.text;
    }
    return text;
  }

  /** The value of a metric of imports, or exports. */
  async counted(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const { values } = (await this.registry.getSingleMetric(`gangan_contact_${name}`)?.get()) ?? {
      values: [],
    };
    const wanted = Object.entries(labels);
    return values.find((each) => wanted.every(([key, value]) => each.labels[key] === value))?.value ?? 0;
  }

  /** All rows in their order, their cells by the names of their columns. */
  async rows(organisationId: string): Promise<Record<string, string>[]> {
    const { id, columns } = await this.office.table(organisationId);
    const rows = await this.office.database.query<{ cells: Record<string, string> }>(
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

  /** As if whoever holds it had died long ago. */
  async expire(kind: 'import' | 'export'): Promise<void> {
    const past = sql`next_attempt_at = now() - interval '1 s' WHERE state = 'running'`;
    await this.office.database.execute(
      kind === 'import' ? sql`UPDATE contact_import SET ${past}` : sql`UPDATE contact_export SET ${past}`,
    );
  }

  async parts(): Promise<number> {
    const [row] = await this.office.database.query<{ parts: number }>(
      sql`SELECT count(*)::int AS parts FROM contact_import_part`,
    );
    return row?.parts ?? 0;
  }
}
