import { keyScopes } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from './support/error-shape.js';
import type { Answer, Call } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { until } from '@gangan/testing';
import { GatewayFixture } from './support/gateway-fixture.js';

const path = '/lookup/phone';
const json: readonly [string, string] = ['content-type', 'application/json'];

describe('bad input', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: readonly [string, string];
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ requestTimeoutMs: 1_500 });
    key = ['authorization', (await fixture.issueKey({ scopes: keyScopes })).key];
    await fixture.answerLookups(() => ({ msisdn: '', operator: '', country: '', ported: false, dnd: false }));
  });
  afterAll(async () => {
    // No bad request reached the worker.
    expect(fixture.asked).toEqual([]);
    await fixture.stop();
  });

  const ask = (request: Call): Promise<Answer> =>
    gateway.call({ path, ...request, headers: [key, ...(request.headers ?? [])] });
  const send = (body: string | Buffer): Promise<Answer> => ask({ headers: [json], body });

  describe('in the body', () => {
    const deep = (levels: number) => `{"a":`.repeat(levels) + '1' + '}'.repeat(levels);

    it.each<[body: string | Buffer, status: number, errors: string[]]>([
      ['', 400, ['phone missing']],
      ['{}', 400, ['phone missing']],
      ['null', 400, ['body object_type']],
      ['[]', 400, ['body object_type']],
      ['"x"', 400, ['body object_type']],
      ['1', 400, ['body object_type']],
      ['{bad', 400, ['body json_invalid']],
      [' ', 400, ['body json_invalid']],
      ['{"phone":"\\ud800"}', 400, ['phone value_error']],
      ['{"phone":"\\u0000"}', 400, ['phone value_error']],
      ['{"other":"\\u0000"}', 400, ['other value_error', 'phone missing']],
      [Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 400, ['body json_invalid']],
      ['{"__proto__":{"phone":"08031234567"}}', 400, ['__proto__ value_error', 'phone missing']],
      ['{"phone":"08031234567","constructor":{"prototype":{}}}', 400, ['constructor value_error']],
      [deep(20), 400, ['phone missing']],
      [deep(21), 400, ['body value_error']],
      [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 400, ['body value_error']],
      [`{"a":[${'1,'.repeat(5_000)}1]}`, 400, ['body too_long']],
      [`{"phone":"${'0'.repeat(65_536)}"}`, 413, []],
      [' '.repeat(65_537), 413, []],
    ])('is rejected: %.60s returns %i %j', async (body, status, errors) => {
      expect(expectError(await send(body), status)).toEqual(errors);
    });

    it.each<[value: unknown, type: string]>([
      [null, 'missing'],
      ['', 'missing'],
      ['   ', 'missing'],
      ['\r\n', 'missing'],
      [8031234567, 'string_type'],
      [0, 'string_type'],
      [true, 'string_type'],
      [['08031234567'], 'string_type'],
      [{ phone: '08031234567' }, 'string_type'],
      ['112', 'phone'],
      ['0801234567', 'phone'],
      ['12345', 'phone'],
      ['+2348031234567890', 'phone'],
      ['08031234567;ext=1', 'phone'],
      ['08031234567,08031234568', 'phone'],
      ['0803123456a', 'phone'],
      ['08031234567\r\nX: y', 'phone'],
      ["0803' OR 1=1 --", 'phone'],
      ['😀', 'phone'],
      ['x'.repeat(10_000), 'phone'],
      ['0'.repeat(10_000), 'phone'],
    ])('is rejected: phone %.40j is %s', async (phone, type) => {
      expect(expectError(await send(JSON.stringify({ phone })), 400)).toEqual([`phone ${type}`]);
    });
  });

  it.each<[why: string, request: Call, status: number, errors: string[]]>([
    ['no content type on a body', { body: '{}' }, 415, []],
    ['text', { body: '{}', headers: [['content-type', 'text/plain']] }, 415, []],
    [
      'a form',
      { body: 'phone=1', headers: [['content-type', 'application/x-www-form-urlencoded']] },
      415,
      [],
    ],
    ['parts', { body: '--x--', headers: [['content-type', 'multipart/form-data; boundary=x']] }, 415, []],
    ['an invalid content type', { body: '{}', headers: [['content-type', ';;;']] }, 415, []],
    [
      'another charset',
      { body: '{}', headers: [['content-type', 'application/json; charset=utf-16']] },
      415,
      [],
    ],
    ['a compressed body', { body: '{}', headers: [json, ['content-encoding', 'gzip']] }, 415, []],
    ['neither body nor query', {}, 400, ['phone missing']],
    ['an empty query', { path: `${path}?phone=` }, 400, ['phone missing']],
    ['a repeated query', { path: `${path}?phone=08031234567&phone=08031234567` }, 400, ['phone string_type']],
    ['NUL in the query', { path: `${path}?phone=%00` }, 400, ['phone value_error']],
    ['an invalid number in the query', { path: `${path}?phone=112` }, 400, ['phone phone']],
    ['a forbidden name', { path: `${path}?__proto__=1` }, 400, ['__proto__ value_error', 'phone missing']],
    [
      'body and query that differ',
      { path: `${path}?phone=08031234567`, headers: [json], body: '{"phone":"08031234568"}' },
      400,
      ['phone value_error'],
    ],
    [
      'a missing field beside text that cannot be stored',
      { method: 'POST', path: '/otp/verify', headers: [json], body: '{"id":"\\u0000"}' },
      400,
      ['id value_error', 'token missing'],
    ],
    [
      'a bad query and a bad body',
      {
        method: 'POST',
        path: '/lists/contact/rows/query?page=0&query_id=%00',
        headers: [json],
        body: '{"filters":7,"x":"\\u0000"}',
      },
      400,
      ['x value_error', 'query_id value_error', 'filters list_type', 'page greater_than_equal'],
    ],
    [
      'text that cannot be stored in a body that the route ignores',
      { method: 'POST', path: '/callbacks/x/resend', headers: [json], body: '{"x":"\\u0000"}' },
      400,
      ['x value_error'],
    ],
    [
      'a deeply nested body with an Idempotency-Key',
      {
        method: 'POST',
        path: '/otp/verify',
        headers: [json, ['idempotency-key', 'deep']],
        body: `{"id":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      },
      400,
      ['body value_error'],
    ],
    [
      'an object that cannot be converted to a string',
      {
        method: 'POST',
        path: '/airtime/buy',
        headers: [json],
        body: '{"network":"MTN","amount":100,"recipient":"08031234567","callback":{"toString":1}}',
      },
      400,
      ['callback string_type'],
    ],
    ['a path that cannot be decoded', { path: '/%zz' }, 400, []],
    ['an unknown path', { path: '/nope' }, 404, []],
    [
      'an unknown path with a bad body',
      { method: 'POST', path: '/nope', headers: [json], body: '{bad' },
      404,
      [],
    ],
    ['a segment too many', { path: `${path}/x` }, 404, []],
    ['dots', { path: '/lookup/../lookup/x' }, 404, []],
    ['an unknown expectation', { headers: [['expect', 'the-moon']] }, 417, []],
    ['headers beyond 16 KiB', { headers: [['x-large', 'x'.repeat(16_400)]] }, 431, []],
  ])('is rejected: %s', async (_, request, status, errors) => {
    expect(expectError(await ask(request), status)).toEqual(errors);
  });

  it.each<[request: Call, message: string]>([
    [
      { path: '/otp/get-by-recipient?recipient=a&recipient=b' },
      'recipient is given more than once in the query',
    ],
    [
      { path: '/otp/get-by-recipient/08031234599?recipient=08031234511' },
      'recipient has different values in the path and in the query',
    ],
    [{ path: '/%zz' }, 'The path contains a % that does not encode a UTF-8 character'],
    [{ method: 'PUT', path: '/otp/verify' }, 'PUT is not allowed on /otp/verify; use POST'],
    [
      { headers: [json], body: '{"phone": "08031234567",}' },
      'The body is not valid JSON: unexpected } at line 1, column 25',
    ],
    [{ method: 'POST', path: '/v1/sms/send' }, 'did you mean /sms/send?'],
    [{ method: 'POST', path: '/sms/sent' }, 'Did you mean POST /sms/send?'],
    [{ method: 'DELETE', path: '/sms/019a86f0-5b1c-7c3e-9d62-3f0a7be1c402' }, 'POST /sms/{id}/cancel?'],
    [
      { headers: [json], body: ' '.repeat(65_537) },
      'The body is too large; the limit of this route is 64 KiB',
    ],
    [
      { method: 'POST', path: '/sms/send', headers: [json], body: ' '.repeat(1_048_577) },
      'The body is too large; the limit of this route is 1024 KiB',
    ],
    [{ headers: [json, ['content-encoding', 'gzip']], body: '{}' }, 'Content-Encoding is not supported'],
    [
      {
        method: 'POST',
        path: '/lists/contact/imports',
        headers: [
          ['content-type', 'text/csv'],
          ['content-encoding', 'gzip'],
        ],
        body: 'Name',
      },
      'Content-Encoding is not supported',
    ],
  ])('%j gets a response that says: %s', async (request, message) => {
    expect((await ask(request)).text).toContain(message);
  });

  it.each<[status: number, method: string, path: string]>([
    [404, 'POST', '/v1/sms/send'],
    [405, 'POST', '/sms/sent'],
    [405, 'DELETE', '/sms/019a86f0-5b1c-7c3e-9d62-3f0a7be1c402'],
  ])('without a valid key gets no suggestion: %i for %s %s', async (status, method, path) => {
    for (const headers of [[], [['authorization', 'sk_test_wrong']]] as Call['headers'][]) {
      const answer = await gateway.call({ method, path, ...(headers && { headers }) });
      expectError(answer, status);
      expect(answer.text).not.toMatch(/did you mean/i);
    }
  });

  it.each<[why: string, request: Call, line: object]>([
    ['fields', { path: `${path}?phone=112` }, { type: 'invalid_request', fields: ['phone'] }],
    [
      'path, without its query',
      { path: '/nope/08031234567?a=b' },
      { type: 'no_such_path', path: '/nope/080*****567' },
    ],
    ['method', { method: 'PUT' }, { type: 'method_not_allowed', method: 'PUT', path }],
  ])('is shown in the access log with its %s', async (_, request, line) => {
    const { headers } = await ask(request);
    const lines = () => gateway.log.requests(headers['x-request-id']);
    await until('the request is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([line]);
    expect(JSON.stringify(lines())).not.toMatch(/\b112\b|8031234567|a=b/);
  });

  it('is shown in the access log with the address of an unauthenticated request', async () => {
    const { headers } = await gateway.call({ path });
    const lines = () => gateway.log.requests(headers['x-request-id']);
    await until('the request is logged', () => lines().length > 0);
    expect(lines()).toMatchObject([{ status: 401, type: 'bad_key', address: '127.0.0.1' }]);
  });

  it('is shown in the access log without a path that cannot be decoded', async () => {
    const { headers } = await ask({ path: '/%zz' });
    const lines = gateway.log.requests(headers['x-request-id']);
    expect(lines).toMatchObject([{ level: 'info', method: 'GET', status: 400 }]);
    expect(JSON.stringify(lines)).not.toContain('%zz');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'is rejected: the method %s',
    async (method) => {
      const answer = await ask({ method });
      expectError(answer, 405);
      expect(answer.headers['allow']).toBe('GET, HEAD');
    },
  );

  it.each<[why: string, bytes: string, status: number]>([
    ['not HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'GRAB /lookup/phone HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['no Host', 'GET /lookup/phone HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a header with NUL', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'an unknown transfer coding, detected after the response has started',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Type: x\r\nTransfer-Encoding: gzip\r\n\r\n',
      400,
    ],
    [
      'a path without a leading slash',
      'GET *lookup/phone HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['endless headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}`, 431],
    ['incomplete headers', 'GET / HTTP/1.1\r\nHos', 408],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n', 417],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    [
      'Upgrade',
      'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      404,
    ],
  ])('on the socket is rejected: %s', async (_, bytes, status) => {
    const requestId = expectRawError(await gateway.raw(bytes), status);
    await until('the request is logged', () => gateway.log.requests(requestId).length > 0);
    expect(gateway.log.requests(requestId)).toMatchObject([{ level: 'info', status }]);
  });

  it('gets no response if nothing arrives', async () => {
    const before = gateway.log.lines.length;
    expect(await gateway.raw('')).toBe('');
    expect(gateway.log.lines.slice(before)).toEqual([]);
  });

  it('times out if the body is slow', async () => {
    const head = [
      'GET /lookup/phone HTTP/1.1',
      'Host: x',
      key.join(': '),
      json.join(': '),
      'Content-Length: 50',
    ];
    const before = gateway.log.lines.length;
    const requestId = expectRawError(await gateway.raw(`${head.join('\r\n')}\r\n\r\n{"phone"`), 408);
    await until('the request is logged', () => gateway.log.requests(requestId).length > 0);
    expect(gateway.log.lines.slice(before)).toMatchObject([{ level: 'info', status: 408, msg: 'request' }]);
  });

  it('is never logged as an error', () => {
    expect(gateway.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

/** Returns the request id. */
function expectRawError(answer: string, status: number): string | undefined {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(head).toMatch(/^x-request-id: \S+$/im);
  expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  expect(JSON.parse(body)).toEqual({ status, message: expect.stringMatching(/\w/), errors: [] });
  return /^x-request-id: (\S+)/im.exec(head)?.[1];
}
