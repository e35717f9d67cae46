import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { Controller, Module, Post, Body } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { parseBody, registerBodyParsers } from './body-parser.js';

const json = { 'content-type': 'application/json' };

const refusal = (body: string | Buffer, headers: IncomingHttpHeaders = json): AppError => {
  try {
    parseBody(headers, Buffer.from(body));
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('was accepted');
};

describe('a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=UTF-8;',
    'application/json; charset=utf8; profile=x',
  ])('may have the type %s', (type) => {
    expect(parseBody({ 'content-type': type }, Buffer.from('{"a":"é"}'))).toEqual({ a: 'é' });
  });

  it('may be absent, and may begin with a byte order mark', () => {
    expect(parseBody({}, Buffer.alloc(0))).toBeUndefined();
    expect(parseBody(json, Buffer.alloc(0))).toBeUndefined();
    expect(parseBody(json, Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });

  it.each<[headers: IncomingHttpHeaders, why: string]>([
    [{}, 'no type'],
    [{ 'content-type': 'text/plain' }, 'text'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'a form'],
    [{ 'content-type': 'application/json; charset=latin1' }, 'another charset'],
    [{ 'content-type': 'application/json; charset=' }, 'an empty charset'],
    [{ 'content-type': 'application/jsonp' }, 'a similar type'],
    [{ 'content-type': 'application/vnd.api+json' }, 'a subtype'],
    [{ ...json, 'content-encoding': 'gzip' }, 'compressed'],
  ])('is refused with %j (%s)', (headers) => {
    expect(refusal('{}', headers)).toMatchObject({ status: 415, fields: [] });
  });

  it.each([
    ['{bad', 'json_invalid'],
    ['{"a":1,}', 'json_invalid'],
    ["{'a':1}", 'json_invalid'],
    ['{"a":1}{"b":2}', 'json_invalid'],
    ['{"a":NaN}', 'json_invalid'],
    [' ', 'json_invalid'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'json_invalid'],
    [Buffer.from('{"a":"é"}', 'latin1'), 'json_invalid'],
    ['null', 'object_type'],
    ['[]', 'object_type'],
    ['"x"', 'object_type'],
    ['1', 'object_type'],
  ])('is refused when it is %j (%s)', (body, type) => {
    expect(refusal(body)).toMatchObject({ status: 400, fields: [{ field: 'body', type }] });
  });
});

const handled: string[] = [];

@Controller()
class Receiver {
  @Post()
  receive(@Body() { name }: { name: string }): void {
    handled.push(name);
    // Longer than a slice of the event loop.
    for (const start = performance.now(); performance.now() - start < 3;);
  }
}

@Module({ controllers: [Receiver] })
class ReceiverModule {}

describe('large bodies', () => {
  it('do not keep a small one waiting until all of them are read', async () => {
    const app = await NestFactory.create<NestFastifyApplication>(ReceiverModule, new FastifyAdapter(), {
      logger: false,
    });
    const upload = {
      maxBytes: 1,
      idleTimeoutMs: 1,
      totalTimeoutMs: 1,
      minBytesPerSecond: 1,
      rateIntervalMs: 1,
    };
    registerBodyParsers(app, upload);
    await app.init();
    const send = (name: string, padding: number) =>
      app.inject({ method: 'POST', url: '/', payload: { name, padding: 'x'.repeat(padding) } });
    const large = Array.from({ length: 20 }, () => send('large', 20_000));
    const answers = await Promise.all([...large, send('small', 1)]);
    expect(answers.every(({ statusCode }) => statusCode === 201)).toBe(true);
    expect(handled).toHaveLength(21);
    expect(handled.indexOf('small')).toBeLessThan(5);
    await app.close();
  });
});
