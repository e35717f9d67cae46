import { work } from '@gangan/protocol';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RouteOptions } from 'fastify';
import type { Access } from './access.js';
import { HttpRoutes } from './http-routes.js';

const route = (method: string | string[], url: string, access?: Access): RouteOptions => ({
  method,
  url,
  handler: () => undefined,
  ...(access && { config: { access } }),
});

describe('the routes of the app', () => {
  const open: Access = { scope: 'public' };
  let table: HttpRoutes;
  beforeEach(() => {
    table = new HttpRoutes();
    table.register(route(['GET', 'HEAD'], '/lookup/phone', open));
    table.register(route('GET', '/otp/:id', open));
    table.register(route('DELETE', '/otp/:id', open));
    table.register(route('POST', '/otp/verify', open));
    table.register(route('GET', '/docs/*', open));
    table.register(route('GET', '/openapi.json', open));
  });

  it.each([
    ['POST', '/lookup/phone', 'GET, HEAD'],
    ['POST', '/lookup/phone/', 'GET, HEAD'],
    ['POST', '/lookup/phone?phone=1', 'GET, HEAD'],
    ['PUT', '/otp/anything', 'DELETE, GET'],
    ['PUT', '/otp/verify', 'POST'],
    ['POST', '/docs/a/b', 'GET'],
    ['POST', '/openapi.json', 'GET'],
  ])('%s %s is not allowed, and Allow is %s', (method, url, allowed) => {
    expect(table.errorForUnmatched(method, url)).toMatchObject({ allowed, error: { status: 405 } });
  });

  it.each([
    ['GET', '/otp/verify', true],
    ['DELETE', '/otp/verify/?x=1', true],
    ['POST', '/otp/verify', false],
    ['GET', '/otp/anything', false],
    ['HEAD', '/lookup/phone', false],
  ])('%s %s, which /otp/:id would match, is another path: %s', (method, url, expected) => {
    expect(table.isShadowed(method, url)).toBe(expected);
  });

  it.each(['/', '/lookup', '/lookup/phone/x', '/otp/', '/otp/a/b', '/openapixjson', '*', ''])(
    '%s does not exist',
    (url) => {
      expect(table.errorForUnmatched('GET', url)).toEqual({
        error: expect.objectContaining({ status: 404 }),
      });
    },
  );

  it('do not match a path that cannot be decoded', () => {
    expect(table.errorForUnmatched('GET', '/lookup/phone%zz')).toMatchObject({
      error: { status: 400, message: expect.stringContaining('%') },
    });
    expect(table.errorForUnmatched('PUT', '/otp/%zz')).toMatchObject({ error: { status: 405 } });
  });

  it('respond 404 with the path, shortened and without its query', () => {
    expect(table.errorForUnmatched('GET', '/nope?phone=08031234567').error.message).toBe(
      'GET /nope does not exist. All paths are listed at /docs',
    );
    expect(table.errorForUnmatched('GET', `/${'x'.repeat(10_000)}`).error.message.length).toBeLessThan(200);
  });

  it('are suggested, on demand, if one is similar', () => {
    expect(table.errorForUnmatched('GET', '/lookup/phon').error.message).toBe(
      'GET /lookup/phon does not exist. All paths are listed at /docs',
    );
    expect(table.errorWithSuggestion('GET', '/lookup/phon').message).toBe(
      'GET /lookup/phon does not exist; did you mean /lookup/phone? All paths are listed at /docs',
    );
  });

  it.each<[method: string, url: string, suggestion: string | undefined]>([
    ['POST', '/sms/sent', 'POST /sms/send'],
    ['DELETE', '/sms/01a1dd98-ffc6-7f4b-beeb-767704693149', 'POST /sms/{id}/cancel'],
    ['GET', '/lists/contact/rows/01a1dd98-ffc6-7f4b-beeb-767704693149', 'GET /lists/contact/row/{row_id}'],
    ['POST', '/sms/01a1dd98-ffc6-7f4b-beeb-767704693149', undefined],
    ['PUT', '/sms/sent', undefined],
  ])('are suggested instead of one with another method: %s %s', (method, url, suggestion) => {
    table.register(route('POST', '/sms/send', open));
    table.register(route('GET', '/sms/:id', open));
    table.register(route('POST', '/sms/:id/cancel', open));
    table.register(route('GET', '/lists/contact/row/:row_id', open));
    table.register(route(['PATCH', 'DELETE'], '/lists/contact/rows/:row_id', open));
    const { error, allowed } = table.errorForUnmatched(method, url);
    const suggested = suggestion === undefined ? '' : `. Did you mean ${suggestion}?`;
    expect(table.errorWithSuggestion(method, url, allowed)).toMatchObject({
      status: 405,
      message: error.message + suggested,
    });
  });

  it.each<[route: string, url: string, sibling: string | undefined]>([
    ['/otp/:id', '/otp/verfy/?x=1', 'POST /otp/verify'],
    ['/otp/:id', '/otp/x', undefined],
    ['/otp/:id', '/otp/unlike', undefined],
    ['/otp/:id', `/otp/${'verify'.repeat(10_000)}`, undefined],
    ['/otp/:id', '/otp/019a86f0-5b1c-7c3e-9d62-3f0a7be1c402', undefined],
    ['/otp/verify', '/otp/verify', undefined],
    ['/otp/:id/:other', '/otp/x/verify', undefined],
  ])('may be meant by the value of a parameter: %s, %.40s', (of, url, sibling) => {
    const [names, routes] = [work.namesCompared, work.routesVisited];
    expect(table.nearestSibling(of, url)).toBe(sibling);
    expect(work.namesCompared - names).toBeLessThanOrEqual(1);
    expect(work.routesVisited).toBe(routes);
  });

  it('are each visited once to find an error, and once for a suggestion', () => {
    const before = work.routesVisited;
    table.errorForUnmatched('GET', '/lookup/phon');
    expect(work.routesVisited - before).toBe(5);
    table.errorWithSuggestion('GET', '/lookup/phon');
    expect(work.routesVisited - before).toBe(10);
  });

  it('must declare who may call them', () => {
    expect(() => {
      table.register(route('GET', '/secret'));
    }).toThrow('GET /secret declares neither @Scope nor @Public');
  });

  it('may accept larger bodies', () => {
    const large = route('POST', '/sms/send', { scope: 'sms:write', bodyLimit: 1_048_576 });
    table.register(large);
    expect(large.bodyLimit).toBe(1_048_576);
  });
});
