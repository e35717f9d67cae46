import {
  type ClickedLink,
  countClicks,
  type CountClicksRequest,
  type CountedClicks,
  type ResolvedLink,
  resolveLink,
  type ResolveLinkRequest,
} from '@gangan/contracts';
import { unavailable } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClickCounter } from '../../src/links/click-counter.js';
import { expectError } from '../support/error-shape.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const known: Readonly<Record<string, string>> = {
  ['a'.repeat(22)]: 'https://example.com/sale?x=1#top',
  ['b'.repeat(22)]: 'https://bücher.example/ä ö?q=ü',
  ['c'.repeat(22)]: 'https://example.com/\r\nset-cookie: x=1',
  ['d'.repeat(22)]: 'javascript:alert(1)',
  ['e'.repeat(22)]: 'https://example.com/prefetched',
  ['f'.repeat(22)]: 'https://example.com/flood',
  ['g'.repeat(22)]: 'https://example.com/down',
};
/** Of a test organisation. */
const tested: Readonly<Record<string, string>> = {
  ['t'.repeat(22)]: 'https://bank.example@evil.example/?a=1&b="><script>alert(1)</script>',
  ['u'.repeat(22)]: 'https://example.com/live',
};
const resolved: string[] = [];
const reported: ClickedLink[] = [];
let isDown = false;

/** Replaces the messaging worker. */
@Controller()
class LinksDouble {
  @Handles(resolveLink)
  resolve({ code }: ResolveLinkRequest): ResolvedLink {
    resolved.push(code);
    const [url, test] = [known[code], tested[code]];
    if (test !== undefined) return { url: test, isTest: true };
    return url === undefined ? {} : { url };
  }

  @Handles(countClicks)
  count({ links }: CountClicksRequest): CountedClicks {
    reported.push(...links);
    if (isDown) throw unavailable();
    return { counted: links.length };
  }
}

describe('a tracked link', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(LinksDouble);
    gateway = await fixture.gateway();
  });
  afterAll(() => fixture.stop());

  const follow = (code: string, method = 'GET', headers: [string, string][] = []) =>
    gateway.call({ method, path: `/l/${code}`, headers });
  const clicksOf = (letter: string) => reported.filter(({ code }) => code === letter.repeat(22));

  it('redirects without a key, is not cached, and sends no referrer', async () => {
    const { status, headers, text } = await follow('a'.repeat(22));
    expect([status, text]).toEqual([302, '']);
    expect(headers).toMatchObject({
      location: 'https://example.com/sale?x=1#top',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    await until('the click is reported', () => clicksOf('a').length > 0);
    expect(clicksOf('a')).toEqual([{ code: 'a'.repeat(22), ids: [expect.any(String)], more: 0 }]);
  });

  it('is looked up once, even if it does not exist', async () => {
    for (let time = 0; time < 3; time += 1) {
      await Promise.all(['a', 'z'].map((letter) => follow(letter.repeat(22))));
    }
    const lookUps = (letter: string) => resolved.filter((code) => code === letter.repeat(22)).length;
    expect([lookUps('a'), lookUps('z')]).toEqual([1, 1]);
  });

  it('that does not exist returns 404 with the error body', async () => {
    const before = resolved.length;
    for (const code of ['x', '%00', '..%2f..', 'x'.repeat(500), `${'a'.repeat(21)}%20`, 'ä'.repeat(3)]) {
      const answer = await follow(encodeURI(decodeURIComponent(code)).replaceAll('/', '%2f'));
      expectError(answer, 404);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    expect(resolved).toHaveLength(before);
    expectError(await follow('y'.repeat(22)), 404);
  });

  it('that does not exist shows a page in a browser', async () => {
    const answer = await gateway.call({
      path: `/l/${'y'.repeat(22)}`,
      headers: [['accept', 'text/html,application/xhtml+xml']],
    });
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.text).toContain('This link does not work any more');
    await until('the line is logged', () =>
      gateway.log.lines.some(
        ({ requestId, type }) => requestId === answer.headers['x-request-id'] && type === 'not_found',
      ),
    );
  });

  describe('of a test organisation', () => {
    const browser: [string, string] = ['accept', 'text/html,application/xhtml+xml,*/*;q=0.8'];
    const target = 'https://bank.example@evil.example/?a=1&b=%22%3E%3Cscript%3Ealert(1)%3C/script%3E';

    it('shows its destination in a browser instead of leading there, and counts the click', async () => {
      const { status, headers, text } = await follow('t'.repeat(22), 'GET', [browser]);
      expect([status, headers.location]).toEqual([200, undefined]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      expect(text).toContain('<strong>evil.example</strong>');
      const escaped = target.replace('&', '&amp;');
      expect(text).toContain(`<a href="${escaped}" rel="nofollow noreferrer">${escaped}</a>`);
      expect(text).not.toMatch(/<script|http-equiv/);
      await until('the click is reported', () => clicksOf('t').length > 0);
      expect(clicksOf('t').flatMap(({ ids }) => ids)).toHaveLength(1);
    });

    it('redirects other clients, and is looked up once for all', async () => {
      const code = 'u'.repeat(22);
      for (const headers of [[], [['accept', '*/*']], [['accept', 'application/json']]] as [
        string,
        string,
      ][][])
        expect(await follow(code, 'GET', headers)).toMatchObject({
          status: 302,
          headers: { location: tested[code] },
        });
      expect(await follow(code, 'GET', [browser])).toMatchObject({ status: 200 });
      expect(resolved.filter((each) => each === code)).toHaveLength(1);
    });

    it('of a live one redirects browsers', async () => {
      const { status, headers } = await follow('e'.repeat(22), 'HEAD', [browser]);
      expect([status, headers.location]).toEqual([302, 'https://example.com/prefetched']);
    });
  });

  it('cannot inject headers, and leads only to http and https', async () => {
    expect((await follow('b'.repeat(22))).headers.location).toBe(
      'https://xn--bcher-kva.example/%C3%A4%20%C3%B6?q=%C3%BC',
    );
    const { headers } = await follow('c'.repeat(22));
    expect([headers.location, headers['set-cookie']]).toEqual([
      'https://example.com/set-cookie:%20x=1',
      undefined,
    ]);
    expectError(await follow('d'.repeat(22)), 404);
  });

  it('is not counted for a prefetch', async () => {
    const code = 'e'.repeat(22);
    expect((await follow(code, 'HEAD')).status).toBe(302);
    expect((await follow(code, 'GET', [['purpose', 'prefetch']])).status).toBe(302);
    expect((await follow(code, 'GET', [['sec-purpose', 'prefetch;prerender']])).status).toBe(302);
    await follow(code);
    await until('the click is reported', () => clicksOf('e').length > 0);
    expect(clicksOf('e').flatMap(({ ids }) => ids)).toHaveLength(1);
  });

  it('with many clicks is reported in a small message', async () => {
    const code = 'f'.repeat(22);
    await Promise.all(Array.from({ length: 200 }, () => follow(code)));
    const all = () => clicksOf('f').reduce((sum, { ids, more }) => sum + ids.length + more, 0);
    await until('200 clicks are reported', () => all() >= 200);
    expect(all()).toBe(200);
    expect(Math.max(...clicksOf('f').map(({ ids }) => ids.length))).toBeLessThanOrEqual(10);
  });

  it('is reported again, unchanged, until the worker accepts the report', async () => {
    isDown = true;
    const code = 'g'.repeat(22);
    expect((await follow(code)).status).toBe(302);
    await until('the clicks are reported', () => clicksOf('g').length > 1);
    await follow(code);
    isDown = false;
    await until(
      'both clicks are reported',
      () => new Set(clicksOf('g').flatMap(({ ids }) => ids)).size === 2,
    );
    const [first, second] = clicksOf('g');
    expect(second).toEqual(first);
  });

  it('allows only GET and HEAD', async () => {
    const answer = await follow('a'.repeat(22), 'POST');
    expectError(answer, 405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  it('has its last clicks counted when the gateway stops', async () => {
    const before = clicksOf('a').length;
    await follow('a'.repeat(22));
    await gateway.part(ClickCounter).beforeApplicationShutdown();
    expect(clicksOf('a').length).toBe(before + 1);
  });
});
