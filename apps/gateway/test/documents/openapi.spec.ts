import { readFileSync } from 'node:fs';
import { ApiField } from '@gangan/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Param, Patch, Query } from '@nestjs/common';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { Public, Scope } from '../../src/http/routes/access.js';
import { ApiOperation, ApiTag } from '../../src/openapi/decorators.js';
import { documentOf, documentText, version } from '../../src/openapi/document.js';
import { GatewayModule } from '../../src/gateway.module.js';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import { lintOpenApi } from '../support/openapi-lint.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const publicUrl = 'http://localhost:3000';
const copy = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');

interface Described {
  readonly responses: Readonly<Record<string, object>>;
}

class Parcel {
  @IsString()
  @ApiField('What it is called', 'Books')
  name: string;
}

class PageQuery {
  @IsOptional()
  @IsInt()
  @ApiField('Which page', 2)
  page?: number;
}

@Controller('parcels')
@ApiTag('Parcels', 'Things that are sent')
class ParcelsController {
  @Patch(':id')
  @Scope('sms:write', { bodyLimit: 1_048_576 })
  @ApiOperation([Parcel], { summary: 'Rename it', description: 'Gives it another name.', errors: [402] })
  rename(@Param('id') id: string, @Query() { page }: PageQuery, @Body() parcel: Parcel): Parcel[] {
    return [{ name: `${parcel.name} ${id} ${page ?? 1}` }];
  }
}

@Controller()
class UndescribedController {
  @Get('undescribed')
  @Public()
  undescribed(): object {
    return {};
  }
}

describe('the OpenAPI document', () => {
  it('is equal to docs/openapi.json (`pnpm openapi` writes it)', () => {
    expect(documentText(GatewayModule, publicUrl)).toBe(copy);
  });

  it('has the version of the package', () => {
    const manifest = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version });
  });

  it('names no command of operators', () => {
    expect(copy).not.toContain('pnpm admin');
  });

  it('passes the linter', async () => {
    expect(await lintOpenApi(copy)).toEqual([]);
  });

  it('describes a route by its declaration', async () => {
    const document = documentOf([ParcelsController], publicUrl);
    const operation = document.paths['/parcels/{id}']?.['patch'] as Described;
    expect(await lintOpenApi(JSON.stringify(document))).toEqual([]);
    expect(operation).toMatchObject({
      operationId: 'parcelsRename',
      security: [{ apiKey: ['sms:write'] }],
      parameters: [
        { name: 'id', in: 'path', required: true },
        { name: 'page', in: 'query', required: false, schema: { type: 'integer' }, example: 2 },
        { $ref: '#/components/parameters/IdempotencyKey' },
      ],
      requestBody: {
        required: true,
        description: 'One JSON object in UTF-8 of at most 1024 KiB',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Parcel' } } },
      },
    });
    const statuses = '200 400 401 402 403 404 409 413 415 422 429 500 503 default';
    expect(Object.keys(operation.responses).join(' ')).toBe(statuses);
    expect(operation.responses['200']).toMatchObject({
      headers: { 'Idempotent-Replayed': {}, 'RateLimit-Limit': {}, 'X-Request-Id': {} },
      content: { 'application/json': { schema: { type: 'array', items: {} } } },
    });
  });

  it('cannot be built if a route lacks its decorators', () => {
    expect(() => documentOf([UndescribedController], publicUrl)).toThrow(
      'UndescribedController.undescribed needs @ApiOperation',
    );
  });
});

describe('the gateway', () => {
  const requestTimeoutMs = 6_000;
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ requestTimeoutMs });
  });
  afterAll(() => fixture.stop());

  const get = (path: string, ...headers: [string, string][]): Promise<Answer> =>
    gateway.call({ path, headers });

  const linksOf = ({ text }: Answer): string[] =>
    [...text.matchAll(/<a href="(.*?)"/g)].map(([, href = '']) => href);

  it('serves the document without a key, with an ETag', async () => {
    const first = await get('/openapi.json');
    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    expect(first.json).toEqual(JSON.parse(documentText(GatewayModule, publicUrl)));
    const again = await get('/openapi.json', ['if-none-match', first.headers.etag ?? '']);
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each(['/docs', '/docs/'])('serves a page at %s with all its assets', async (path) => {
    const page = await get(path);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'.*connect-src 'self'/);
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    const address = new URL(path, publicUrl);
    const assets = [...page.text.matchAll(/src="(.*?)"/g)].map(([, source = '']) => new URL(source, address));
    expect(assets).toHaveLength(1);
    const [, document = ''] = /data-document="(.*?)"/.exec(page.text) ?? [];
    expect(new URL(document, address).pathname).toBe('/openapi.json');
    for (const { pathname, search } of assets) {
      const asset = await get(pathname + search);
      expect(asset).toMatchObject({ status: 200 });
      expect(asset.headers['cache-control']).toContain('immutable');
      expect(asset.text.length).toBeGreaterThan(10_000);
    }
  });

  it('has a page for people and JSON for programs at its address', async () => {
    const page = await get('/', ['accept', 'text/html,application/xhtml+xml']);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const links = linksOf(page);
    expect(links.length).toBeGreaterThan(1);
    for (const href of links) expect((await get(`/${href}`)).status).not.toBe(404);
    // This system has no demo organisation.
    expect(page.text).not.toContain('sk_test_');
    expect((await get('/')).json).toEqual({
      name: 'Gangan',
      ...{ docs: '/docs', guides: '/docs/guides', openapi: '/openapi.json', health: '/readyz' },
    });
  });

  it.each([
    [404, '/nothing/<b>', 'GET /nothing/&lt;b&gt; does not exist'],
    [404, '/docs/guides/nothing', 'The guide was not found'],
    [401, '/balance?x=1', 'The API key is missing'],
    [200, '/healthz', 'event loop: ok'],
    // The gateway of this test has not reported its start.
    [503, '/readyz', 'process: starting'],
  ])('responds %s to %s with a page for people and JSON for programs', async (status, path, content) => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await get(path, ['accept', accept]);
    expect(page).toMatchObject({ status, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.text).toContain(content);
    const links = linksOf(page);
    expect(links.length).toBeGreaterThan(1);
    for (const href of links) expect((await get(new URL(href, publicUrl + path).pathname)).status).toBe(200);
    for (const each of ['*/*', 'application/json', ''])
      expect((await get(path, ['accept', each])).headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
      });
    if (status >= 400)
      expectError(await get(path, ['accept', accept], ['authorization', 'sk_test_x']), status);
  });

  it.each(['br', 'gzip'])('compresses long responses with %s, and no short ones', async (encoding) => {
    const ask = async (path: string, accepted: string) => {
      const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
        headers: { 'accept-encoding': accepted },
      });
      return { used: response.headers.get('content-encoding'), body: await response.text() };
    };
    const plain = await ask('/openapi.json', 'identity');
    expect(plain.used).toBeNull();
    expect(await ask('/openapi.json', encoding)).toEqual({ used: encoding, body: plain.body });
    expect((await ask('/healthz', encoding)).used).toBeNull();
  });

  it('always compresses the script of the docs, which is large', async () => {
    const { headers } = await get('/docs/reference.js', ['accept-encoding', 'identity']);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(headers['content-length'])).toBeLessThan(1_500_000);
  });

  it.each(['/openapi.json', '/docs/guides', '/docs/guides/sms'])(
    'serves %s with a length and a tag for each encoding',
    async (path) => {
      const ask = (encoding: string, ...headers: [string, string][]) =>
        get(path, ['accept-encoding', encoding], ...headers);
      const answers = await Promise.all(['br', 'gzip', 'identity'].map((encoding) => ask(encoding)));
      const encodings = answers.map(({ headers }) => headers['content-encoding']);
      expect(encodings).toEqual(['br', 'gzip', undefined]);
      const sizes = answers.map(({ headers }) => Number(headers['content-length']));
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
      for (const { headers } of answers) expect(headers.vary).toBe('Accept-Encoding');
      const tags = answers.map(({ headers }) => headers.etag ?? '');
      expect(new Set(tags).size).toBe(3);
      expect((await ask('*')).headers.etag).toBe(tags[2]);

      const known = await ask('br', ['if-none-match', `"other", W/${tags[0] ?? ''}`]);
      expect(known).toMatchObject({ status: 304, text: '', headers: { etag: tags[0] } });
      expect((await ask('gzip', ['if-none-match', tags[0] ?? ''])).status).toBe(200);
    },
  );

  it.each(['/', '/docs', '/openapi.json', '/l/abcdefgh', '/healthz'])(
    'refuses a body at %s before it arrives',
    async (path) => {
      for (const length of ['Content-Length: 65536', 'Transfer-Encoding: chunked']) {
        const startedAt = performance.now();
        const received = await gateway.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`);
        expect(received).toMatch(/^HTTP\/1\.1 400 .*\r\nconnection: close\r\n.*takes no body/s);
        expect(performance.now() - startedAt).toBeLessThan(requestTimeoutMs);
      }
      expect((await get(path, ['content-length', '0'])).status).not.toBe(400);
    },
  );

  it.each(['/docs/package.json', '/docs/__proto__', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json'])(
    'serves no other file: %s',
    async (path) => {
      expectError(await get(path), 404);
    },
  );
});
