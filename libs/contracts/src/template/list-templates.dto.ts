import { PageMeta } from '../pagination.dto.js';
import { ApiField } from '../schema/describe.js';
import { Nested, NestedList } from '../validation/nested.js';
import { Template } from './template.dto.js';

export class TemplatePage {
  @NestedList(Template)
  @ApiField('The newest first')
  templates: Template[];

  @Nested(PageMeta)
  @ApiField('About this answer')
  meta: PageMeta;
}
