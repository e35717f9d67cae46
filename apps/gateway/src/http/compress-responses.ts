import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { servesFixedDocument } from './fixed-document.js';

/** Smaller responses, which most are, would hardly become shorter. */
const thresholdBytes = 1_024;

/** Compresses longer responses for clients that accept it. Its `onSend` runs after that of idempotency, which stores the bytes. */
export async function compressResponses(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRoute', (route) => {
    if (servesFixedDocument(route.config)) route.compress = false;
  });
  await fastify.register(compress, {
    threshold: thresholdBytes,
    // A small compressed body could become a huge one: such requests are rejected with 415.
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    // The default quality is for files that are compressed once.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
}
