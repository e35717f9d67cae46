import fc from 'fast-check';

const deep = (levels: number, open: string, close: string) =>
  open.repeat(levels) + '1' + close.repeat(levels);

/** Text that has caused errors in other systems. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\r\n',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '..',
    '../..',
    '%00',
    '%zz',
    '__proto__',
    'constructor',
    'null',
    'true',
    '-1',
    '1e309',
    "' OR 1=1 --",
    '{{x}}',
    '<script>',
    '😀',
    '\u202e',
    'A'.repeat(500),
    '❤\ufe0f'.repeat(200),
    '0'.repeat(10_000),
    '+',
    '08031234567;ext=1',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** JSON values as text, including some that `JSON.stringify` does not produce. */
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '0.001',
    '1e309',
    '-1e309',
    '9007199254740993',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"a":{}}',
    '{"__proto__":{"x":1}}',
    '{"length":1e9}',
    deep(19, '[', ']'),
    deep(30, '[', ']'),
    deep(19, '{"a":', '}'),
    deep(2_000, '[', ']'),
  ),
  oddText.map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
);

/** Bodies that are not JSON objects. */
export const oddBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '',
      ' ',
      'null',
      '[]',
      '"x"',
      '1',
      '{',
      '{bad',
      '{"a":1,}',
      '{"a":1}{"b":2}',
      '\ufeff{}',
      '{"a":NaN}',
      'a=1&b=2',
      '{"a":"\\ud800"}',
      '{"\\u0000":1}',
      deep(30_000, '[', ']'),
      deep(5_000, '{"a":', '}'),
      ' '.repeat(70_000),
      `{"a":"${'x'.repeat(70_000)}"}`,
    )
    .map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

export const oddType: fc.Arbitrary<string | undefined> = fc.constantFrom(
  undefined,
  '',
  ';;;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'application/json; charset="utf-8"',
  'application/json;',
  'application/jsonx',
  '*/*',
);

export const oddHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'authorization',
      'idempotency-key',
      'x-request-id',
      'accept',
      'accept-encoding',
      'content-encoding',
      'if-none-match',
      'cookie',
      'range',
      'x-http-method-override',
      'origin',
      'te',
    ),
    fc.oneof(
      fc.constantFrom(
        '',
        'Bearer sk_test_demo',
        'sk_test_demo',
        'gzip',
        'x'.repeat(300),
        '\xff\xfe',
        '*',
        'bytes=0-',
        'PATCH',
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
    ),
  ),
  fc.constantFrom<readonly [string, string]>(
    ['x-large', 'x'.repeat(17_000)],
    ['expect', 'the-moon'],
    ['x-odd', 'a\0b'],
    ['bad name', 'x'],
    ['host', 'two'],
    ['transfer-encoding', 'gzip'],
  ),
);

export const oddMethod: fc.Arbitrary<string> = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'GRAB',
  'get',
);

/** Text to append to a valid path. */
export const oddTail: fc.Arbitrary<string> = fc.constantFrom(
  '/',
  '//',
  '/x',
  '/..',
  '/../..',
  '/%00',
  '%00',
  '%zz',
  '/%2e%2e',
  ';a=b',
  '#x',
  '/'.repeat(50),
  '/a'.repeat(4_000),
  '?',
  '?a',
  '?=&&=',
  '?a[b]=c&a[b]=d',
  '\xff',
  ' x',
);
