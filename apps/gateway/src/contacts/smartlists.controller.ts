import {
  changeSmartlist,
  ChangeSmartlistFields,
  createSmartlist,
  CreateSmartlistRequest,
  findSmartlist,
  listSmartlists,
  removeSmartlist,
  type Smartlist,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers } from '../openapi/answers.js';
import { DescribedInContacts } from './chapter.js';

@Controller('lists/contact/smartlists')
@DescribedInContacts()
export class SmartlistsController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('contacts:write')
  @Answers(createSmartlist, {
    summary: 'Save filters as a smartlist',
    description:
      'Queries name it by `smartlist_id`. Its rows are those that match when it is asked, not those that match now. A table has at most 500 smartlists.',
  })
  create(@Body() request: CreateSmartlistRequest): Observable<Smartlist> {
    return this.queue.send(createSmartlist, request);
  }

  @Get()
  @Scope('contacts:read')
  @Answers(listSmartlists, {
    summary: 'List smartlists',
    description: 'All of them. The first is the one of all contacts, which every table has.',
  })
  list(): Observable<Smartlist[]> {
    return this.queue.send(listSmartlists, {});
  }

  @Get(':smartlist_id')
  @Scope('contacts:read')
  @Answers(findSmartlist, { summary: 'Read a smartlist', description: 'Tells its filters.' })
  find(@Param('smartlist_id') id: string): Observable<Smartlist> {
    return this.queue.send(findSmartlist, { id });
  }

  @Patch(':smartlist_id')
  @Scope('contacts:write')
  @Answers(changeSmartlist, {
    summary: 'Change a smartlist',
    description: 'Gives it another name or other filters. The one of all contacts stays as it is (409).',
  })
  change(@Param('smartlist_id') id: string, @Body() fields: ChangeSmartlistFields): Observable<Smartlist> {
    return this.queue.send(changeSmartlist, Object.assign(fields, { id }));
  }

  @Delete(':smartlist_id')
  @Scope('contacts:write')
  @Answers(removeSmartlist, {
    summary: 'Delete a smartlist',
    description: 'Answers with what it was; its rows stay. The one of all contacts cannot be deleted (409).',
    refuses: [409],
  })
  remove(@Param('smartlist_id') id: string): Observable<Smartlist> {
    return this.queue.send(removeSmartlist, { id });
  }
}
