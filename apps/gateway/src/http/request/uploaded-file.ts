import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, withTimeout } from '@gangan/protocol';
import { fileTooLarge, errorForStatus, uploadBroken } from '../errors/http.errors.js';

export interface UploadLimits {
  readonly maxBytes: number;
  /** The time limits for the next bytes and for the whole file. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Averaged over `rateIntervalMs`. */
  readonly minBytesPerSecond: number;
  readonly rateIntervalMs: number;
}

const uploading = new WeakSet<Duplex>();

/** Whether a file is arriving. It may take longer than the `requestTimeout` of Node: the limits of uploads apply to it. */
export const isUploading = (socket: Duplex): boolean => uploading.has(socket);

const tooSlow = (): AppError => errorForStatus(408);

/** A file in the body of a request. It can be read once; it is hashed as it is read. */
export class UploadedFile {
  /** In base64; absent until the file was read to its end. */
  sha256?: string;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limits: UploadLimits,
  ) {}

  /** Yields the bytes as they arrive. @throws AppError 400, 408 or 413 */
  async *chunks(): AsyncGenerator<Buffer> {
    const { maxBytes } = this.limits;
    if (Number(this.request.headers['content-length'] ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
    const { socket } = this.request;
    uploading.add(socket);
    try {
      const hash = createHash('sha256');
      let total = 0;
      for await (const chunk of this.timedChunks()) {
        total += chunk.length;
        if (total > maxBytes) throw fileTooLarge(maxBytes);
        hash.update(chunk);
        yield chunk;
      }
      this.sha256 = hash.digest('base64');
    } finally {
      uploading.delete(socket);
    }
  }

  /** Reads the file only for its hash. */
  async readHash(): Promise<string | undefined> {
    const chunks = this.chunks();
    while ((await chunks.next()).done !== true);
    return this.sha256;
  }

  /**
   * Applies the time limits. Only the time that we wait for the sender counts. Does not destroy the request on an error:
   * the response still has to be sent.
   */
  private async *timedChunks(): AsyncGenerator<Buffer> {
    const { idleTimeoutMs, totalTimeoutMs, minBytesPerSecond, rateIntervalMs } = this.limits;
    const endsAt = performance.now() + totalTimeoutMs;
    const stream = this.request.iterator({ destroyOnReturn: false });
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let [bytes, waitedMs] = [0, 0];
    for (;;) {
      const startedAt = performance.now();
      const timeoutMs = Math.min(idleTimeoutMs, endsAt - startedAt);
      if (timeoutMs <= 0) throw tooSlow();
      const next = await withTimeout(timeoutMs, chunks.next(), tooSlow).catch((error: unknown) => {
        throw error instanceof AppError ? error : uploadBroken(error);
      });
      if (next.done === true) return;
      bytes += next.value.length;
      waitedMs += performance.now() - startedAt;
      if (waitedMs >= rateIntervalMs) {
        if (bytes < (minBytesPerSecond * waitedMs) / 1_000) throw tooSlow();
        [bytes, waitedMs] = [0, 0];
      }
      yield next.value;
    }
  }
}
