import { randomUUID } from 'node:crypto';
import type { KnownIds } from '../interface/example.js';
import { type Ask, column, columnIds, made, type Seed, seedOf, smartlist } from '../tenants/seeds.js';

/** Of a kind that takes all of the fields that may be changed. */
const fullest: Readonly<Record<string, Seed>> = {
  '/templates/{id}': (ask) =>
    made(ask, '/templates', {
      name: randomUUID(),
      channel: 'whatsapp',
      body: 'Dear {{name}}',
      provider_name: 'dear',
      language: 'en',
    }),
  '/lists/contact/columns/{column_id}': (ask) => column(ask, { type: 'SELECT', options: ['gold', 'silver'] }),
};

/** What the requests of an operation are about, one after the other. */
export class Things {
  private last: Promise<string> | undefined;

  constructor(
    private readonly path: string,
    private readonly ask: Ask,
  ) {}

  /** The id of one that nobody has done anything to. */
  untouched(): Promise<string> {
    this.last = this.inPlaceOf(this.last);
    return this.last;
  }

  /** The id of one that may be gone. */
  any(): Promise<string> {
    return this.last ?? this.untouched();
  }

  /** Of some kinds an organisation may have only so many. What cannot be deleted stays. */
  private async inPlaceOf(last: Promise<string> | undefined): Promise<string> {
    if (last) await this.ask({ method: 'DELETE', path: this.path.replace(/\{.*/, await last) });
    return (fullest[this.path] ?? seedOf(this.path))(this.ask);
  }
}

/** What else the fields of a request may name. */
export const knownTo = async (ask: Ask): Promise<KnownIds> => ({
  smartlist_id: await smartlist(ask),
  template_id: await seedOf('/templates/{id}')(ask),
  column_id: (await columnIds(ask)).name,
});
