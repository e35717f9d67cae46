import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import Fastify from 'fastify';
import { FixedDocument } from './fixed-document.js';

const text = 'the same words '.repeat(1_000);

async function serve(document: FixedDocument) {
  const fastify = Fastify();
  fastify.get('/', (request, reply) => document.send(request, reply));
  await fastify.ready();
  return (encoding: string) =>
    fastify.inject({ method: 'GET', url: '/', headers: { 'accept-encoding': encoding } });
}

describe('a fixed document', () => {
  it('is read and compressed once for each encoding', async () => {
    let reads = 0;
    const ask = await serve(new FixedDocument(() => Buffer.from(text + String((reads += 1)))));
    const together = await Promise.all(Array.from({ length: 20 }, () => ask('br')));
    const later = await ask('br');
    expect(reads).toBe(1);
    for (const answer of [...together, later])
      expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(`${text}1`);
    expect(gunzipSync((await ask('gzip')).rawPayload).toString()).toBe(`${text}2`);
    await ask('gzip');
    expect(reads).toBe(2);
  });

  it('is compressed even for clients that do not ask for it, if it is large', async () => {
    const large = 'x'.repeat(1_048_577);
    const ask = await serve(new FixedDocument(() => Buffer.from(large)));
    const answer = await ask('identity');
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(answer.rawPayload).toString()).toBe(large);
  });

  it('is read again after a failure', async () => {
    let reads = 0;
    const ask = await serve(
      new FixedDocument(() => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('too many open files')) : Buffer.from(text);
      }),
    );
    expect((await ask('identity')).statusCode).toBe(500);
    expect((await ask('identity')).body).toBe(text);
  });
});
