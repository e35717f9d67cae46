import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import type { Schemas } from '../routes.js';
import { ContactExports, ContactImports } from './contact-files.js';
import { ContactRows } from './contact-rows.js';

/** The table of contacts. */
export class Contacts {
  readonly columns: ContactColumns;
  readonly rows: ContactRows;
  readonly smartlists: Smartlists;
  readonly imports: ContactImports;
  readonly exports: ContactExports;

  constructor(private readonly api: Api) {
    this.columns = new ContactColumns(api);
    this.rows = new ContactRows(api);
    this.smartlists = new Smartlists(api);
    this.imports = new ContactImports(api);
    this.exports = new ContactExports(api);
  }

  /** The columns and their ids. */
  table(options?: CallOptions): Promise<Schemas['ContactTable']> {
    return this.api.call('GET /lists/contact', {}, options);
  }
}

export class ContactColumns {
  constructor(private readonly api: Api) {}

  add(
    body: Schemas['AddContactColumnRequest'],
    options?: WriteOptions,
  ): Promise<Schemas['AddedContactColumn']> {
    return this.api.call('POST /lists/contact/columns', { body }, options);
  }

  /** Renames a column, or changes its options. */
  change(
    column_id: string,
    body: Schemas['ChangeContactColumnFields'],
    options?: WriteOptions,
  ): Promise<Schemas['ContactTable']> {
    return this.api.call('PATCH /lists/contact/columns/{column_id}', { path: { column_id }, body }, options);
  }

  /** Removes a column with its cells. */
  remove(column_id: string, options?: UnkeyedOptions): Promise<Schemas['ContactTable']> {
    return this.api.call('DELETE /lists/contact/columns/{column_id}', { path: { column_id } }, options);
  }
}

/** Saved filters of contacts. */
export class Smartlists {
  constructor(private readonly api: Api) {}

  create(body: Schemas['CreateSmartlistRequest'], options?: WriteOptions): Promise<Schemas['Smartlist']> {
    return this.api.call('POST /lists/contact/smartlists', { body }, options);
  }

  list(options?: CallOptions): Promise<Schemas['Smartlist'][]> {
    return this.api.call('GET /lists/contact/smartlists', {}, options);
  }

  find(smartlist_id: string, options?: CallOptions): Promise<Schemas['Smartlist']> {
    return this.api.call('GET /lists/contact/smartlists/{smartlist_id}', { path: { smartlist_id } }, options);
  }

  change(
    smartlist_id: string,
    body: Schemas['ChangeSmartlistFields'],
    options?: WriteOptions,
  ): Promise<Schemas['Smartlist']> {
    const path = { smartlist_id };
    return this.api.call('PATCH /lists/contact/smartlists/{smartlist_id}', { path, body }, options);
  }

  remove(smartlist_id: string, options?: UnkeyedOptions): Promise<Schemas['Smartlist']> {
    return this.api.call(
      'DELETE /lists/contact/smartlists/{smartlist_id}',
      { path: { smartlist_id } },
      options,
    );
  }
}
