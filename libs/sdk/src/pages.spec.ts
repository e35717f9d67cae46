import { describe, expect, it } from '@jest/globals';
import { Gangan } from './index.js';

/** A client whose requests get these responses, and the requests. */
function answering(...answers: readonly unknown[]) {
  const urls: string[] = [];
  const fetchNext = (url: unknown): Promise<Response> => {
    urls.push(String(url).replace('http://localhost', ''));
    return Promise.resolve(Response.json(answers[urls.length - 1]));
  };
  const options = { baseUrl: 'http://localhost', apiKey: 'key', fetch: fetchNext as typeof fetch };
  return { gangan: new Gangan(options), urls };
}

const page = (messages: readonly string[], next?: string) => ({ messages, meta: { pagination: { next } } });

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

describe('a list', () => {
  it('is read to its end, also over an empty page, with its filters', async () => {
    const { gangan, urls } = answering(page(['a', 'b'], '1'), page([], '2'), page(['c']));
    expect(await collect(gangan.messages.list({ limit: 2, channel: 'sms' }))).toEqual(['a', 'b', 'c']);
    const filters = '/sms?limit=2&channel=sms';
    expect(urls).toEqual([filters, `${filters}&before=1`, `${filters}&before=2`]);
  });

  it('requests nothing before it is read, and only the pages that are needed', async () => {
    const { gangan, urls } = answering(page(['a'], '1'), page(['b'], '2'));
    const list = gangan.messages.list();
    expect(urls).toEqual([]);
    for await (const item of list) if ((item as unknown) === 'b') break;
    expect(urls).toHaveLength(2);
  });

  it('is its first page if it is awaited, and its pages', async () => {
    const { gangan, urls } = answering(page(['a'], '1'), page(['a'], '1'), page(['b']));
    const list = gangan.messages.list();
    expect(await list).toMatchObject({ messages: ['a'] });
    const pages = await collect(list.pages());
    expect(pages.map(({ messages }) => messages)).toEqual([['a'], ['b']]);
    expect(urls).toHaveLength(3);
  });

  it('continues after a page by its cursor', async () => {
    const { gangan, urls } = answering(page([], '1'), page([]));
    await collect(gangan.messages.list({ page: 2 }));
    expect(urls).toEqual(['/sms?page=2', '/sms?before=1']);
  });

  it('continues products and deliveries with `after`', async () => {
    const products = answering(
      { products: ['a'], meta: { pagination: { next: '1' } } },
      { products: [], meta: { pagination: {} } },
    );
    await collect(products.gangan.airtime.products({ network: 'MTN' }));
    expect(products.urls[1]).toBe('/airtime/products?network=MTN&after=1');
    const details = answering(
      { deliveries: ['a'], meta: { pagination: { next: '1' } } },
      { deliveries: ['b'], meta: {} },
    );
    expect(await collect(details.gangan.messages.deliveries('id'))).toEqual(['a', 'b']);
    expect(details.urls).toEqual(['/sms/id', '/sms/id?after=1']);
  });

  it('continues a query of contacts by its id', async () => {
    const rows = (row: string, number: number, next: string) => ({
      rows: [row],
      meta: { pagination: { page: number, next_page: next, query_id: 'query-1' } },
    });
    const { gangan, urls } = answering(rows('a', 1, 'true'), rows('b', 2, 'false'));
    expect(await collect(gangan.contacts.rows.query({}, { by: 'name' }))).toEqual(['a', 'b']);
    const path = '/lists/contact/rows/query?by=name';
    expect(urls).toEqual([path, `${path}&page=2&query_id=query-1`]);
  });
});
