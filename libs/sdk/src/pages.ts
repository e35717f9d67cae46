import type { Api, CallOptions } from './api.js';
import type { Answer, Input, Route } from './routes.js';

/**
 * A list. `await` returns its first page, `for await` returns its items one by one, and `for await` over `pages()` its
 * pages. Nothing is requested before that. An async function that returns a list returns its first page.
 */
export class Pages<Page, Item> implements PromiseLike<Page>, AsyncIterable<Item> {
  constructor(
    /** Reads the first page, or the one after `previous`; undefined after the last page. */
    private readonly read: (previous?: Page) => Promise<Page | undefined>,
    private readonly itemsOf: (page: Page) => readonly Item[],
  ) {}

  then<A = Page, B = never>(
    onFulfilled?: ((page: Page) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.read() as Promise<Page>).then(onFulfilled, onRejected);
  }

  async *pages(): AsyncGenerator<Page, void, undefined> {
    let page = await this.read();
    while (page !== undefined) {
      yield page;
      page = await this.read(page);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.itemsOf(page);
  }
}

/** @param cursor the query parameter that takes `meta.pagination.next` of the previous page */
export function pagesOf<R extends Route, Item>(
  api: Api,
  route: R,
  input: Input<R>,
  itemsOf: (page: Answer<R>) => readonly Item[],
  options?: CallOptions,
  cursor: 'before' | 'after' = 'before',
): Pages<Answer<R>, Item> {
  return new Pages(async (previous) => {
    if (previous === undefined) return api.call(route, input, options);
    const { next } =
      (previous as { readonly meta: { readonly pagination?: { next?: string } } }).meta.pagination ?? {};
    if (next === undefined) return undefined;
    // Messages are refused with both a number of a page and a cursor.
    const query = { ...input.query, page: undefined, [cursor]: next } as unknown as Input<R>['query'];
    return api.call(route, { ...input, query }, options);
  }, itemsOf);
}
