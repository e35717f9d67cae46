import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RouteOptions } from 'fastify';
import type { Access } from './access.js';
import { RouteTable } from './route-table.js';

const route = (method: string | string[], url: string, access?: Access): RouteOptions => ({
  method,
  url,
  handler: () => undefined,
  ...(access && { config: { access } }),
});

describe('the routes of the app', () => {
  const open: Access = { scope: 'public' };
  let table: RouteTable;
  beforeEach(() => {
    table = new RouteTable();
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
  ])('%s %s is not possible, and Allow says %s', (method, url, allowed) => {
    expect(table.refusal(method, url)).toMatchObject({ allowed, error: { status: 405 } });
  });

  it.each(['/', '/lookup', '/lookup/phone/x', '/otp/', '/otp/a/b', '/openapixjson', '*', ''])(
    'there is no %s',
    (url) => {
      expect(table.refusal('GET', url)).toEqual({ error: expect.objectContaining({ status: 404 }) });
    },
  );

  it('cannot be found where a path cannot be decoded', () => {
    expect(table.refusal('GET', '/lookup/phone%zz')).toMatchObject({
      error: { status: 400, message: expect.stringContaining('%') },
    });
    expect(table.refusal('PUT', '/otp/%zz')).toMatchObject({ error: { status: 405 } });
  });

  it('says which path there is not, but not its query and not without end', () => {
    expect(table.refusal('GET', '/nope?phone=08031234567').error.message).toBe(
      'There is no GET /nope. All paths are listed at /docs',
    );
    expect(table.refusal('GET', `/${'x'.repeat(10_000)}`).error.message.length).toBeLessThan(200);
  });

  it('says which path was most likely meant', () => {
    expect(table.refusal('GET', '/lookup/phon').error.message).toBe(
      'There is no GET /lookup/phon: did you mean /lookup/phone? All paths are listed at /docs',
    );
  });

  it('must say who may use them', () => {
    expect(() => {
      table.register(route('GET', '/secret'));
    }).toThrow('GET /secret declares neither @Scope nor @Public');
  });

  it('may take larger bodies', () => {
    const large = route('POST', '/sms/send', { scope: 'sms:write', bodyLimit: 1_048_576 });
    table.register(large);
    expect(large.bodyLimit).toBe(1_048_576);
  });
});
