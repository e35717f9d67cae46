import type { Api, CallOptions, UnkeyedOptions, WriteOptions } from '../api.js';
import { type Pages, pagesOf } from '../pages.js';
import type { Query, Schemas } from '../routes.js';

/** Texts with placeholders. */
export class Templates {
  constructor(private readonly api: Api) {}

  create(body: Schemas['CreateTemplateRequest'], options?: WriteOptions): Promise<Schemas['Template']> {
    return this.api.call('POST /templates', { body }, options);
  }

  /** Newest first. */
  list(
    query: Query<'GET /templates'> = {},
    options?: CallOptions,
  ): Pages<Schemas['TemplatePage'], Schemas['Template']> {
    return pagesOf(this.api, 'GET /templates', { query }, (page) => page.templates, options);
  }

  find(id: string, options?: CallOptions): Promise<Schemas['Template']> {
    return this.api.call('GET /templates/{id}', { path: { id } }, options);
  }

  change(
    id: string,
    body: Schemas['ChangeTemplateFields'],
    options?: WriteOptions,
  ): Promise<Schemas['Template']> {
    return this.api.call('PATCH /templates/{id}', { path: { id }, body }, options);
  }

  remove(id: string, options?: UnkeyedOptions): Promise<Schemas['Template']> {
    return this.api.call('DELETE /templates/{id}', { path: { id } }, options);
  }
}
