import {
  ChangeTemplateFields,
  changeTemplate,
  createTemplate,
  CreateTemplateRequest,
  findTemplate,
  listTemplates,
  PageQuery,
  removeTemplate,
  type Template,
  type TemplatePage,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';

@Controller('templates')
@DescribedIn('Templates', 'Texts with placeholders, for messages that differ from recipient to recipient')
export class TemplatesController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('sms:write')
  @Answers(createTemplate, {
    summary: 'Make a template',
    description:
      'Messages name it by `template_id` and give a value for each of its placeholders. One for WhatsApp must be known to the carrier by the name and in the language given here.',
  })
  create(@Body() request: CreateTemplateRequest): Observable<Template> {
    return this.queue.send(createTemplate, request);
  }

  @Get()
  @Scope('sms:read')
  @Answers(listTemplates, {
    summary: 'List templates',
    description: 'Newest first. To read on, ask again with `before` set to `meta.pagination.next`.',
  })
  list(@Query() request: PageQuery): Observable<TemplatePage> {
    return this.queue.send(listTemplates, request);
  }

  @Get(':id')
  @Scope('sms:read')
  @Answers(findTemplate, {
    summary: 'Read a template',
    description: 'Tells its text, and which placeholders need a value.',
  })
  find(@Param('id') id: string): Observable<Template> {
    return this.queue.send(findTemplate, { id });
  }

  @Patch(':id')
  @Scope('sms:write')
  @Answers(changeTemplate, {
    summary: 'Change a template',
    description:
      'Changes what is given and leaves the rest. Messages that were accepted before keep the text they were accepted with.',
  })
  change(@Param('id') id: string, @Body() fields: ChangeTemplateFields): Observable<Template> {
    return this.queue.send(changeTemplate, Object.assign(fields, { id }));
  }

  @Delete(':id')
  @Scope('sms:write')
  @Answers(removeTemplate, {
    summary: 'Remove a template',
    description: 'Answers with what it was. Messages that were accepted before are sent all the same.',
  })
  remove(@Param('id') id: string): Observable<Template> {
    return this.queue.send(removeTemplate, { id });
  }
}
