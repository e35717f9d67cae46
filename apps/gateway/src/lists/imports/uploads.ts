import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type ContactImport, importContactsPart, type ImportContactsWish } from '@gangan/contracts';
import { AppError } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { GatewayConfig } from '../../gateway.config.js';
import { type FileBounds, type FilePart, partsOf } from './file-parts.js';
import { tooLarge } from './imports.errors.js';
import { outlastRequestTimeout } from './outlast-timeout.js';

/** A part that may have arrived or not is sent again: the worker keeps it once. */
const pausesMs = [200, 500, 1_000, 2_000, 4_000];

/** Passes files on to the worker, a part at a time: of none of them is more here than that. */
@Injectable()
export class Uploads {
  private readonly bounds: FileBounds;

  constructor(
    private readonly queue: QueueClient,
    config: GatewayConfig,
  ) {
    this.bounds = {
      mostBytes: config.CONTACT_IMPORT_MAX_BYTES,
      idleMs: config.REQUEST_TIMEOUT_MS,
      wholeMs: config.CONTACT_IMPORT_TIMEOUT_MS,
    };
  }

  async take(file: IncomingMessage, wish: ImportContactsWish): Promise<ContactImport> {
    const { mostBytes } = this.bounds;
    if (Number(file.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
    outlastRequestTimeout(file.socket);
    let answer: ContactImport | undefined;
    for await (const part of partsOf(file, this.bounds)) answer = await this.send(part, wish);
    if (!answer) throw new Error('A file has no last part');
    return answer;
  }

  private async send(part: FilePart, { upsert, delimiter }: ImportContactsWish): Promise<ContactImport> {
    const request = {
      ...part,
      ...(upsert !== undefined && { upsert }),
      ...(delimiter !== undefined && { delimiter }),
    };
    for (const pauseMs of pausesMs) {
      try {
        return await firstValueFrom(this.queue.send(importContactsPart, request));
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 503) throw error;
        await pause(pauseMs);
      }
    }
    return firstValueFrom(this.queue.send(importContactsPart, request));
  }
}
