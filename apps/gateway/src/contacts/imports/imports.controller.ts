import {
  type ContactImport,
  type ContactImportPage,
  findContactImport,
  importContactsPart,
  ImportContactsOptions,
  listContactImports,
  ListContactTransfersRequest,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Scope } from '../../http/access.js';
import { Answers } from '../../openapi/answers.js';
import { DescribedInContacts } from '../chapter.js';
import { Uploads } from './uploads.js';

@Controller('lists/contact/imports')
@DescribedInContacts()
export class ImportsController {
  constructor(
    private readonly queue: QueueClient,
    private readonly uploads: Uploads,
  ) {}

  @Post()
  @Scope('contacts:write', { takes: 'csv' })
  @Answers(importContactsPart, {
    summary: 'Import rows',
    description:
      'Takes a CSV file in UTF-8, whose first line names columns by their names or ids, and answers when it has arrived: the rows are written after that, and `GET /lists/contact/imports/{id}` tells how far it is. Bad lines are told of and do not keep the others back. An empty cell empties the cell of a row that is changed; leave a column out of the file to keep it as it is.',
    takes: 'text/csv',
  })
  async import(
    @Query() wish: ImportContactsOptions,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ContactImport> {
    try {
      return await this.uploads.take(request.raw, wish);
    } catch (error) {
      // What is still to arrive would have to be read before another request.
      void reply.header('connection', 'close');
      throw error;
    }
  }

  @Get()
  @Scope('contacts:read')
  @Answers(listContactImports, {
    summary: 'List imports',
    description:
      'Newest first. To read on, ask again with `before` set to `meta.pagination.next`. Imports that ended more than 30 days ago are forgotten, unless the operator says otherwise.',
  })
  list(@Query() request: ListContactTransfersRequest): Observable<ContactImportPage> {
    return this.queue.send(listContactImports, request);
  }

  @Get(':id')
  @Scope('contacts:read')
  @Answers(findContactImport, {
    summary: 'Read an import',
    description: 'Tells how far it is, and what is wrong with its first bad lines.',
  })
  find(@Param('id') id: string): Observable<ContactImport> {
    return this.queue.send(findContactImport, { id });
  }
}
