import { IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Template } from './template.dto.js';

export const defaultTemplatePageSize = 50;

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

export class ListTemplatesRequest {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  @ApiField(`How many templates to answer with; ${defaultTemplatePageSize} unless it says otherwise`, 20)
  limit?: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Only templates older than the one with this id: `meta.pagination.next` of the page before', id)
  before?: string;
}

export class TemplatePagination {
  @IsInt()
  @ApiField('How many templates a page has at most', defaultTemplatePageSize)
  limit: number;

  @IsOptional()
  @IsUUID()
  @ApiField('Ask for the next page with `before` set to this; absent on the last page', id)
  next?: string;
}

export class TemplatePageMeta {
  @IsString()
  @ApiField('The method that was used', 'GET')
  method: string;

  @IsString()
  @ApiField('The path that was asked', '/templates')
  resource: string;

  @Nested(TemplatePagination)
  @ApiField('Which part of the whole this is')
  pagination: TemplatePagination;
}

export class TemplatePage {
  @NestedList(Template)
  @ApiField('The newest first')
  templates: Template[];

  @Nested(TemplatePageMeta)
  @ApiField('About this answer')
  meta: TemplatePageMeta;
}
