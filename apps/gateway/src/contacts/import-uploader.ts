import { setTimeout as delay } from 'node:timers/promises';
import {
  type ContactImport,
  contactUploadAbandoned,
  importContactsPart,
  type ImportContactsOptions,
  type ImportContactsPart,
} from '@gangan/contracts';
import { AppError, currentContext, newContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import type { UploadedFile } from '../http/request/uploaded-file.js';
import { StorageMonitor } from '../storage/storage-monitor.js';
import { partsOf } from './file-parts.js';

/** The delays between attempts to send a part. The worker stores a repeated part once. */
const retryDelaysMs = [200, 500, 1_000, 2_000, 4_000];

/** Far shorter than the time after which the worker considers an upload abandoned. */
const maxPartAgeMs = 15_000;

/** Forwards an uploaded file to the worker, part by part. Only one part is in memory at a time. */
@Injectable()
export class ImportUploader {
  constructor(
    private readonly queue: QueueClient,
    private readonly storage: StorageMonitor,
    private readonly logger: AppLogger,
  ) {}

  /** @throws AppError 503 also in the middle of a file, if storage becomes low */
  async upload(file: UploadedFile, options: ImportContactsOptions): Promise<ContactImport> {
    this.storage.requireRoom();
    let result: ContactImport | undefined;
    let begun = false;
    try {
      for await (const part of partsOf(file.chunks(), maxPartAgeMs)) {
        this.storage.requireRoom();
        begun = true;
        const hash = part.last && file.sha256 !== undefined && { sha256: file.sha256 };
        result = await this.send(Object.assign({}, options, part, hash));
      }
    } catch (error) {
      if (begun) await this.abandon();
      throw error;
    }
    if (!result) throw new Error('partsOf yielded no part');
    return result;
  }

  /** Never fails: the worker also discards an upload that stays silent. */
  private async abandon(): Promise<void> {
    const { operationId: id } = currentContext() ?? newContext();
    try {
      await lastValueFrom(this.queue.emit(contactUploadAbandoned, { id }), { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, id }, 'abandoned upload was not reported to the worker');
    }
  }

  private async send(request: ImportContactsPart): Promise<ContactImport> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await firstValueFrom(this.queue.send(importContactsPart, request));
      } catch (error) {
        if (!(error instanceof AppError) || error.status !== 503) throw error;
        await delay(delayMs);
      }
    }
    return firstValueFrom(this.queue.send(importContactsPart, request));
  }
}
