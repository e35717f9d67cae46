import { readdirSync, readFileSync } from 'node:fs';
import { errorTypes } from '@gangan/protocol';
import { RuntimeConfig } from '@gangan/runtime';
import { configFor } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import MiniSearch from 'minisearch';
import { documentOf } from '../../src/openapi/document.js';
import { guides } from '../../src/openapi/guide-list.js';
import { searchOptions } from '../../src/guides/guide-search.js';
import { controllersOf } from '../../src/openapi/routes.js';
import { GatewayModule } from '../../src/gateway.module.js';
import { expectError } from '../support/error-shape.js';
import { GatewayFixture } from '../support/gateway-fixture.js';
import type { Answer } from '../support/http.js';
import { queueKeysOf, type RunningGateway } from '../support/running-gateway.js';

const origin = 'http://localhost:3000';
const folder = new URL('../../../../docs/use/', import.meta.url);
const source = (name: string): string => readFileSync(new URL(`${name}.md`, folder), 'utf8');

describe('the guides', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
  });
  afterAll(() => fixture.stop());

  const get = (path: string): Promise<Answer> => gateway.call({ path });
  const known = new Map<string, Promise<Answer>>();
  const getOnce = (path: string): Promise<Answer> => {
    const answer = known.get(path) ?? get(path);
    known.set(path, answer);
    return answer;
  };
  /** Why a link leads nowhere; undefined if it leads to a page and an element of it. */
  const faultOf = async (href: string, page: string): Promise<string | undefined> => {
    const { pathname, hash, origin: host } = new URL(href, origin + page);
    if (host !== origin) return host.startsWith('https://') ? undefined : `${page} links to ${href}`;
    const { status, text } = await getOnce(pathname);
    const isThere = hash === '' || text.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
    return status === 200 && isThere ? undefined : `${page} links to ${href}`;
  };
  const linksOf = ({ text }: Answer): string[] =>
    [...text.matchAll(/ href="([^"]*)"/g)].map(([, to = '']) => to);

  it('are pages with a strict policy, whose links all lead to a page and a section', async () => {
    const paths = ['/docs/guides', ...guides.map(({ name }) => `/docs/guides/${name}`)];
    const faults: (string | undefined)[] = [];
    let links = 0;
    for (const path of paths) {
      const page = await getOnce(path);
      expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self';/,
      );
      expect(page.text.match(/<script[^>]*>[^<]*/g)).toEqual([
        expect.stringMatching(/^<script type="module" src="(guides\/)?guides\.js\?v=[\w-]+">$/),
      ]);
      expect(page.text).not.toContain('undefined');
      for (const href of linksOf(page).filter((each) => !each.startsWith('data:'))) {
        faults.push(await faultOf(href, path));
        links += 1;
      }
    }
    expect(links).toBeGreaterThan(80);
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('are linked by the OpenAPI document', async () => {
    const text = JSON.stringify(documentOf(controllersOf(GatewayModule), origin));
    const links = new Set(text.match(/http:\/\/localhost:3000\/docs\/guides[^")\\]*/g));
    const faults = await Promise.all([...links].map((href) => faultOf(href, '/openapi.json')));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    for (const { name } of guides) expect(links).toContain(`${origin}/docs/guides/${name}`);
    for (const section of ['messages', 'airtime', 'other-events'])
      expect(links).toContain(`${origin}/docs/guides/callbacks#${section}`);
  });

  it('are all pages for users of the API, and leave out what only operators and developers need', async () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
    expect(guides.map(({ name }) => `${name}.md`).toSorted()).toEqual(files.toSorted());
    const operators = /pnpm admin|apps\/\w+\/src|\b[A-Z]+(?:_[A-Z]+){2,}\b|\.\.\/(?:operate|inside)/;
    for (const { name, title } of guides) {
      const { text } = await getOnce(`/docs/guides/${name}`);
      expect(text).toContain(`<h1>${title}</h1>`);
      expect([name, operators.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  it('have at most 15,000 words without their examples, and at most 100 in a paragraph', () => {
    const texts = guides.map(({ name }) => source(name).replaceAll(/^```[^]*?^```$/gm, ''));
    const paragraphs = texts
      .flatMap((text) => text.split(/\n(?:\n|(?=- ))/))
      .filter((each) => !each.startsWith('|'));
    const words = (text: string): number =>
      text.split(/\s/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    expect(paragraphs.filter((each) => words(each) > 100)).toEqual([]);
    expect(words(texts.join(' '))).toBeLessThanOrEqual(15_000);
  });

  it('have a search over all their sections', async () => {
    const { text, headers } = await get('/docs/guides/search.json');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const index = MiniSearch.loadJSON(text, searchOptions);
    const found = (query: string): unknown[] =>
      index.search(query, { prefix: true, combineWith: 'AND' }).map(({ id }) => id as unknown);
    expect(found('quiet hours')).toContain('sms#quiet-hours');
    expect(found('insufficient_balance')).toContain('errors#types');
    expect(found('idempotency')[0]).toBe('http#idempotency');
    const links = found('message').map((id) => faultOf(String(id), '/docs/guides/search.json'));
    expect((await Promise.all(links)).filter((fault) => fault !== undefined)).toEqual([]);
    const script = await get('/docs/guides/guides.js');
    expect(script).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
    expect(script.text).toContain('class MiniSearch');
    expect(script.text).not.toMatch(/^(?:import|export) /m);
  });

  it('explain each type of error, and each status of an error without one', async () => {
    const { text } = await getOnce('/docs/guides/errors');
    const rows = [...text.matchAll(/<tr id="(\w+)">/g)].map(([, id]) => id);
    const statuses = [400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 417, 429, 431, 500, 503];
    expect(rows.toSorted()).toEqual([...errorTypes, ...statuses].map(String).toSorted());
    const answer = await get('/nothing');
    const [, href] = /^<(.*)>; rel="help"$/.exec(String(answer.headers.link)) ?? [];
    expect(await faultOf(href ?? 'missing', '/nothing')).toBeUndefined();
  });

  it('are linked by errors below the path of PUBLIC_URL', async () => {
    const below = await fixture.gateway({
      replaced: [
        configFor(RuntimeConfig, {
          QUEUE_KEYS: queueKeysOf(fixture.queueKey),
          PUBLIC_URL: 'https://example.com/sms',
        }),
      ],
    });
    const to = (line: string): string => `</sms/docs/guides/errors#${line}>; rel="help"`;
    expect((await below.call({ path: '/nothing' })).headers.link).toBe(to('404'));
    const unexpected = { path: '/', headers: [['expect', 'the-moon']] } as const;
    expect((await below.call(unexpected)).headers.link).toBe(to('417'));
    expect(await below.raw('nonsense\r\n\r\n')).toContain(`\r\nlink: ${to('400')}\r\n`);
  });

  it('redirect from a path with a trailing slash', async () => {
    expect(await get('/docs/guides/sms/')).toMatchObject({ status: 308, headers: { location: '../sms' } });
    expect(await get('/docs/guides/')).toMatchObject({ status: 308, headers: { location: '../guides' } });
  });

  it.each(['operations', 'security', '..%2fREADME', '__proto__', 'sms.md'])(
    'do not include %s',
    async (name) => {
      expectError(await get(`/docs/guides/${name}`), 404);
    },
  );
});
