import {
  ChangeTemplateFields,
  changeTemplate,
  createTemplate,
  CreateTemplateRequest,
  findTemplate,
  listTemplates,
  PageQuery,
  removeTemplate,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('templates')
@ApiTag('Templates', 'Texts with placeholders, for personalised messages')
export class TemplatesController {
  constructor(private readonly queue: QueueClient) {}

  @Post()
  @Scope('sms:write')
  @ApiOperation(createTemplate, {
    summary: 'Create a template',
    description:
      'Messages refer to it by `template_id` and give a value for each placeholder. A WhatsApp template must be approved by the carrier under the name and language given here. An organisation has at most 1,000 templates.',
  })
  create(@Body() request: CreateTemplateRequest) {
    return this.queue.send(createTemplate, request);
  }

  @Get()
  @Scope('sms:read')
  @ApiOperation(listTemplates, {
    summary: 'List templates',
    description: 'Newest first. For the next page, set `before` to `meta.pagination.next`.',
  })
  list(@Query() request: PageQuery) {
    return this.queue.send(listTemplates, request);
  }

  @Get(':id')
  @Scope('sms:read')
  @ApiOperation(findTemplate, {
    summary: 'Read a template',
    description: 'Returns its text and the placeholders that need a value.',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findTemplate, { id });
  }

  @Patch(':id')
  @Scope('sms:write')
  @ApiOperation(changeTemplate, {
    summary: 'Change a template',
    description: 'Changes the given fields. Messages accepted earlier keep their text.',
  })
  change(@Param('id') id: string, @Body() fields: ChangeTemplateFields) {
    return this.queue.send(changeTemplate, Object.assign(fields, { id }));
  }

  @Delete(':id')
  @Scope('sms:write')
  @ApiOperation(removeTemplate, {
    summary: 'Remove a template',
    description: 'Returns the removed template. Messages accepted earlier are still sent.',
  })
  remove(@Param('id') id: string) {
    return this.queue.send(removeTemplate, { id });
  }
}
