import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { CsvFile, Query, Schemas } from '../routes.js';

/** As long as the API lets an upload take. */
const uploadMs = 60 * 60_000;

export class ContactImports {
  constructor(private readonly api: Api) {}

  /**
   * Uploads a CSV file; the rows are written afterwards, and `find` has the progress. By default it may take an hour.
   * A stream is sent once: if it fails, call again with the `idempotencyKey` of the error and a new stream.
   */
  create(
    file: CsvFile,
    query: Query<'POST /lists/contact/imports'> = {},
    options: WriteOptions = {},
  ): Promise<Schemas['ContactImport']> {
    const { timeoutMs = uploadMs } = options;
    return this.api.call('POST /lists/contact/imports', { query, csv: file }, { ...options, timeoutMs });
  }

  /** Newest first. */
  list(
    query: Query<'GET /lists/contact/imports'> = {},
    options?: CallOptions,
  ): Pages<Schemas['ContactImportPage'], Schemas['ContactImport']> {
    return pagesOf(this.api, 'GET /lists/contact/imports', { query }, (page) => page.imports, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['ContactImport']> {
    return this.api.call('GET /lists/contact/imports/{id}', { path: { id } }, options);
  }

  /** The rejected lines as CSV, when the import has ended. */
  rejected(
    id: string,
    query: Query<'GET /lists/contact/imports/{id}/rejected'> = {},
    options?: CallOptions,
  ): Promise<Response> {
    return this.api.file('GET /lists/contact/imports/{id}/rejected', { path: { id }, query }, options);
  }
}

export class ContactExports {
  constructor(private readonly api: Api) {}

  /** Begins to write a CSV file; `find` has the progress. */
  create(body: Schemas['ContactRowsQuery'] = {}, options?: WriteOptions): Promise<Schemas['ContactExport']> {
    return this.api.call('POST /lists/contact/exports', { body }, options);
  }

  /** Newest first. */
  list(
    query: Query<'GET /lists/contact/exports'> = {},
    options?: CallOptions,
  ): Pages<Schemas['ContactExportPage'], Schemas['ContactExport']> {
    return pagesOf(this.api, 'GET /lists/contact/exports', { query }, (page) => page.exports, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['ContactExport']> {
    return this.api.call('GET /lists/contact/exports/{id}', { path: { id } }, options);
  }

  /** The CSV file, when the export is `done`. */
  file(
    id: string,
    query: Query<'GET /lists/contact/exports/{id}/file'> = {},
    options?: CallOptions,
  ): Promise<Response> {
    return this.api.file('GET /lists/contact/exports/{id}/file', { path: { id }, query }, options);
  }

  /** Deletes an export with its file. */
  remove(id: string, options?: UnkeyedOptions): Promise<Schemas['ContactExport']> {
    return this.api.call('DELETE /lists/contact/exports/{id}', { path: { id } }, options);
  }
}
