import type { Database } from '@gangan/database';
import { uniqueName } from '@gangan/testing';
import type { KnownIds } from '../interface/example.js';
import {
  type Ask,
  column,
  columnIds,
  made,
  product,
  received,
  type Seed,
  seedOf,
  smartlist,
} from '../tenants/seeds.js';

/** Kinds of records that accept all changeable fields. */
const fullest: Readonly<Record<string, Seed>> = {
  '/templates/{id}': (ask) =>
    made(ask, '/templates', {
      name: uniqueName(),
      channel: 'whatsapp',
      body: 'Dear {{name}}',
      provider_name: 'dear',
      language: 'en',
    }),
  '/lists/contact/columns/{column_id}': (ask) => column(ask, { type: 'SELECT', options: ['gold', 'silver'] }),
};

/** The records that the requests of an operation refer to, one after the other. */
export class Records {
  private last: Promise<string> | undefined;

  constructor(
    private readonly path: string,
    private readonly ask: Ask,
    private readonly database: Database,
  ) {}

  /** The id of a record that no request has changed. */
  untouched(): Promise<string> {
    this.last = this.inPlaceOf(this.last);
    return this.last;
  }

  /** The id of a record that may have been deleted. */
  any(): Promise<string> {
    return this.last ?? this.untouched();
  }

  /** Deletes the record if possible: the number of some kinds is limited per organisation. */
  private async inPlaceOf(last: Promise<string> | undefined): Promise<string> {
    if (last) await this.ask({ method: 'DELETE', path: this.path.replace(/\{.*/, await last) });
    return (fullest[this.path] ?? seedOf(this.path))(this.ask, this.database);
  }
}

/** Known values for other references in requests. */
export const knownTo = async (ask: Ask, database: Database): Promise<KnownIds> => ({
  smartlist_id: await smartlist(ask),
  template_id: await seedOf('/templates/{id}')(ask, database),
  column_id: (await columnIds(ask)).name,
  product_id: await product(ask),
  reply_to: await received(ask, database),
});
