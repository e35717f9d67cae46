import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { Public } from '../src/auth/access.js';
import { documentOf } from '../src/openapi/document.js';
import { staticDocument } from '../src/openapi/static-document.js';
import { expectError } from './support/error-shape.js';
import type { Answer } from './support/http.js';
import { strictRules } from './support/openapi-rules.js';
import type { RunningGateway } from './support/running-gateway.js';
import { World } from './support/world.js';

const publicUrl = 'http://localhost:3000';
const copy = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');

@Controller()
class SilentController {
  @Get('silent')
  @Public()
  silent(): object {
    return {};
  }
}

describe('the description of the interface', () => {
  it('is the one that docs/openapi.json holds (`pnpm openapi` writes it)', () => {
    expect(staticDocument(publicUrl)).toBe(copy);
  });

  it('gives a linter nothing to object to', async () => {
    const config = await createConfig(strictRules);
    const problems = await lintFromString({ source: copy, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    );
  });

  it('cannot be made while a route does not say what it answers', () => {
    expect(() => documentOf([SilentController], publicUrl)).toThrow('SilentController.silent needs @Answers');
  });
});

describe('the gateway', () => {
  let world: World;
  let gateway: RunningGateway;
  beforeAll(async () => {
    world = await World.create();
    gateway = await world.gateway();
  }, 60_000);
  afterAll(() => world.stop());

  const get = (path: string, ...headers: [string, string][]): Promise<Answer> =>
    gateway.call({ path, headers });

  it('serves the description to anybody, once', async () => {
    const first = await get('/openapi.json');
    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    expect(first.json).toEqual(JSON.parse(copy));
    const again = await get('/openapi.json', ['if-none-match', first.headers.etag ?? '']);
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  it.each(['/docs', '/docs/'])('shows it as a page at %s that brings along all it needs', async (path) => {
    const page = await get(path);
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'.*connect-src 'self'/);
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    const address = new URL(path, publicUrl);
    const base = new URL(/<base href="(.*?)">/.exec(page.text)?.[1] ?? '', address);
    const assets = [...page.text.matchAll(/(?:src|href)="(docs\/.*?)"/g)].map(
      ([, href = '']) => new URL(href, base),
    );
    expect(assets).toHaveLength(2);
    for (const { pathname, search } of assets) {
      const asset = await get(pathname + search);
      expect(asset).toMatchObject({ status: 200 });
      expect(asset.headers['cache-control']).toContain('immutable');
      expect(asset.text.length).toBeGreaterThan(10_000);
    }
  });

  it.each(['/docs/package.json', '/docs/__proto__', '/docs/..%2fpackage.json', '/docs/%2e%2e/package.json'])(
    'serves no other file: %s',
    async (path) => {
      expectError(await get(path), 404);
    },
  );
});
