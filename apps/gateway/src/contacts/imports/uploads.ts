import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ContactImport,
  contactUploadAbandoned,
  importContactsPart,
  type ImportContactsOptions,
} from '@gangan/contracts';
import { AppError, currentContext, newContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { GatewayConfig } from '../../gateway.config.js';
import { type FileBounds, type FilePart, partsOf } from './file-parts.js';
import { tooLarge } from './imports.errors.js';
import { outlastRequestTimeout } from './outlast-timeout.js';

/** A part that may have arrived or not is sent again: the worker keeps it once. */
const pausesMs = [200, 500, 1_000, 2_000, 4_000];

/** Far less than the time after which the worker takes a file for one that broke off. */
const partMs = 15_000;

/** Passes files on to the worker, a part at a time: of none of them is more here than that. */
@Injectable()
export class Uploads {
  private readonly bounds: FileBounds;

  constructor(
    private readonly queue: QueueClient,
    config: GatewayConfig,
    private readonly logger: AppLogger,
  ) {
    this.bounds = {
      mostBytes: config.CONTACT_IMPORT_MAX_BYTES,
      idleMs: config.REQUEST_TIMEOUT_MS,
      wholeMs: config.CONTACT_IMPORT_TIMEOUT_MS,
      partMs,
    };
  }

  async take(file: IncomingMessage, wish: ImportContactsOptions): Promise<ContactImport> {
    const { mostBytes } = this.bounds;
    if (Number(file.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
    outlastRequestTimeout(file.socket);
    let answer: ContactImport | undefined;
    let begun = false;
    try {
      for await (const part of partsOf(file, this.bounds)) {
        begun = true;
        answer = await this.send(part, wish);
      }
    } catch (error) {
      if (begun) await this.giveUp();
      throw error;
    }
    if (!answer) throw new Error('A file has no last part');
    return answer;
  }

  /** Never fails: a file of which nothing is heard is forgotten a little later. */
  private async giveUp(): Promise<void> {
    const { operationId: id } = currentContext() ?? newContext();
    try {
      await lastValueFrom(this.queue.emit(contactUploadAbandoned, { id }), { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, id }, 'the worker could not be told that a file broke off');
    }
  }

  private async send(part: FilePart, { upsert, delimiter }: ImportContactsOptions): Promise<ContactImport> {
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
